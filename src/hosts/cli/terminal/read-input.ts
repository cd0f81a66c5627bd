/** Reads the standard input of a command. */
import type { Io } from './io.ts';

/** Resolves with all of the standard input. Imports the module of Node here, because most commands read no input. */
export async function readInput({ stdin }: Pick<Io, 'stdin'>): Promise<string> {
  const { text } = await import('node:stream/consumers');
  return text(stdin);
}
