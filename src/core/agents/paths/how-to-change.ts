/** Why a file of an agent or a composition is not changed as it is, and what to do instead. */
import { shellWord } from '../../base/text.ts';
import type { AgentPlace } from '../places.ts';
import type { PathRoot } from './key-words.ts';

/** Null where it is the person's own to change, or with `project` the project's. */
export function whyFixed(
  { root, name, file, place }: { root: PathRoot; name: string; file: string; place: AgentPlace },
  project: boolean,
): string | null {
  if (place.source === 'builtin') {
    const what = root === 'compositions' ? '--composition --from' : '--from';
    const copy = `triad agents new ${shellWord(name)} --user ${what} ${shellWord(name)}`;
    return `"${name}" comes with Triad and is not changed: make a copy of yours first, with "${copy}"`;
  }
  if (place.dialect !== 'triad') return `${file} belongs to another program, and is changed there`;
  if (place.source === 'project' && !project)
    return `${file} is the project's: with --project it is changed for all who work in it`;
  return null;
}
