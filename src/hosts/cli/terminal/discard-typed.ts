/** Drops what was typed before a question stood on the screen, and goes on while somebody still types. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** How long nothing may come before the keyboard counts as quiet, in milliseconds: first, and once somebody was typing. */
const QUIET_MS = 30;
const QUIET_AFTER_TYPING_MS = 300;
/** In raw mode it is a character. */
const CTRL_C = 3;

type Keyboard = Readable & { setRawMode(raw: boolean): unknown };

/** Resolves when all that was written has left and the keyboard is quiet; rejects when the signal aborts. */
export async function discardTyped(
  input: Keyboard,
  output: Writable,
  signal: AbortSignal,
  onInterrupt: () => void,
): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => output.write('', () => resolve()));
  const quiet = new AbortController();
  let timer = setTimeout(() => quiet.abort(), QUIET_MS);
  const drop = (data: Buffer) => {
    clearTimeout(timer);
    timer = setTimeout(() => quiet.abort(), QUIET_AFTER_TYPING_MS);
    if (data.includes(CTRL_C)) onInterrupt();
  };
  // Line by line, what was typed without its Enter would stay in the driver and join the answer.
  input.setRawMode(true);
  input.on('data', drop);
  input.resume();
  try {
    await once(quiet.signal, 'abort', { signal });
  } finally {
    clearTimeout(timer);
    input.pause();
    input.off('data', drop);
    input.setRawMode(false);
  }
}
