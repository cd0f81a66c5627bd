/** The path of a new agent in a place; never that of an existing file. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TriadError } from '../base/errors.ts';
import { loadPlace, nameOf } from './load.ts';
import type { AgentPlace } from './places.ts';
import type { KnownTool } from './vocabulary.ts';

/** Throws `conflict` where the place already has an agent of this name, or a file at the path. */
export async function newPath(place: AgentPlace, name: string, tools: readonly KnownTool[]): Promise<string> {
  const path = join(place.folder, `${name.trim().replaceAll(' ', '-')}.${place.compositions ? 'toml' : 'md'}`);
  const taken = (await loadPlace(place, tools)).find((file) => nameOf(file) === name)?.path;
  if (taken !== undefined) throw alreadyExists(taken);
  if (await stat(path).catch(() => null)) throw alreadyExists(path);
  return path;
}

export function alreadyExists(path: string): TriadError {
  return new TriadError('conflict', `${path} is there already: nothing was written`);
}
