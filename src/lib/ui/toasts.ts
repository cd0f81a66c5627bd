/** Short messages that disappear by themselves, and errors shown by one. */
import { createContext } from 'svelte';
import { failureText } from '#lib/words/request-error.ts';

export interface Toasts {
  info(message: string): void;
  error(message: string): void;
  /** A message with a button, usable while the message shows. */
  offer(message: string, button: string, press: () => void): void;
}

export const [getToasts, setToasts] = createContext<Toasts>();

/** Returns whether the request succeeded; shows the error's message in a toast where it did not. */
export async function succeeds(toasts: Toasts, asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    toasts.error(failureText(error));
    return false;
  }
}
