/** Short messages that go by themselves, and what went wrong told by one. */
import { createContext } from 'svelte';
import { asRequestError } from '#lib/client/request-error.ts';

export interface Toasts {
  info(message: string): void;
  error(message: string): void;
  /** With a button that can be pressed while the message shows. */
  offer(message: string, button: string, press: () => void): void;
}

export const [getToasts, setToasts] = createContext<Toasts>();

/** Whether it went well; where it did not, the person is told why. */
export async function succeeds(toasts: Toasts, asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    toasts.error(asRequestError(error).message);
    return false;
  }
}
