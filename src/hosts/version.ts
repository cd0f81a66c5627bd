/** The version of this program, as package.json says it. */
import { readFile } from 'node:fs/promises';

export async function ownVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  // Our own file, written with the code that reads it.
  return (JSON.parse(text) as { version: string }).version;
}
