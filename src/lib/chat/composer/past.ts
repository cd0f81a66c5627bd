/** Messages of before, gone through with the arrow keys in a box that is empty or shows one of them unchanged. */

export interface Past {
  /** Oldest first; asked only once the keys go through them. */
  messages: () => readonly string[];
  /** The one that the box shows; null: none. */
  at: number | null;
}

/** The next one in a direction, or null where the keys do what they always do. Behind the newest the box is empty again. */
export function stepInto(
  { messages: read, at }: Past,
  box: { text: string; start: number; end: number },
  step: 'older' | 'newer',
): { at: number | null; text: string } | null {
  if (box.start !== box.end || (box.start !== 0 && box.start !== box.text.length)) return null;
  if (at === null && (box.text !== '' || step === 'newer')) return null;
  const messages = read();
  if (at !== null && box.text !== (messages[at] ?? '')) return null;
  const next = (at ?? messages.length) + (step === 'older' ? -1 : 1);
  if (next < 0) return null;
  if (next >= messages.length) return { at: null, text: '' };
  return { at: next, text: messages[next] ?? '' };
}

/** Each once, where it was said last, and without what was attached. */
export function pastOf(prompts: readonly string[], wordsOf: (prompt: string) => string): string[] {
  const newestFirst = new Set(prompts.toReversed().map(wordsOf));
  return [...newestFirst].filter((one) => one.trim() !== '').toReversed();
}
