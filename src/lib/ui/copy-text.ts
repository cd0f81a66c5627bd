/** Copies a text to the clipboard, and says so: `said`, or that it could not be. */
import { text } from '#lib/words/text.ts';
import type { Toasts } from './toasts.ts';

export async function copyText(toasts: Toasts, value: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(value);
    toasts.info(said);
  } catch {
    toasts.error(text.chat.notCopied);
  }
}
