/** What `triad agents new --composition` writes: a built-in composition, or one of the person's, under another name. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { TriadError } from '../../base/errors.ts';
import { isMissing } from '../../base/regular-file.ts';
import { editText } from '../edit.ts';
import { builtinPlaces } from '../places.ts';

/** The one that a new composition begins as. */
const FIRST = 'BUILD-SMART';

/** With the comments that explain each key. Throws `not_found` where no built-in composition has the name `from`. */
export async function compositionTemplate(name: string, from = FIRST): Promise<string> {
  const [, { folder }] = builtinPlaces();
  const text = await readFile(join(folder, `${basename(from)}.toml`), 'utf8').catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    throw new TriadError('not_found', `There is no built-in composition "${from}": see "triad agents list"`);
  });
  // Its first lines tell how to make such a copy.
  const own = text.slice(text.indexOf('\n\n') + 2);
  return editText(own, 'composition', { 'agent.name': name });
}
