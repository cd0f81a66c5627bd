/** The languages that screens speak. With a message: that of the screen it was written on, in which only the demo answers. */

export const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Of a tag such as `fr-CA`; null where that is not spoken. */
export function languageIn(tag: string): Language | null {
  const [known] = tag.toLowerCase().split('-');
  return LANGUAGES.find((language) => language === known) ?? null;
}
