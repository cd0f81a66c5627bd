/** A built-in agent's file as one of the person's own, perhaps under another name. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { TriadError } from '../../base/errors.ts';
import { isMissing } from '../../base/regular-file.ts';
import { editText } from '../edit.ts';
import { builtinPlaces } from '../places.ts';

/** Throws `not_found` where no built-in agent has the name `from`. */
export async function copyBuiltin(name: string, from: string): Promise<string> {
  const [{ folder }] = builtinPlaces();
  const text = await readFile(join(folder, `${basename(from)}.md`), 'utf8').catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    throw new TriadError('not_found', `There is no built-in agent "${from}": see "triad agents list"`);
  });
  return name === from ? text : editText(text, 'markdown', { name });
}
