/** The languages that screens speak. With a message: that of the screen it was written on, in which only the demo answers. */

export const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];
