/** Lists of files in the settings: apart from their schema, which what only reads such a list need not load. */
import type { Place } from '#contract/permission.ts';

/** Patterns of paths and names in a list of the person's settings, with where it is written. */
export interface ListedFiles {
  patterns: readonly string[];
  place: Place;
  /** Beside the list: paths of the folder from which MCP servers are started; left out where there are none. */
  started?: readonly string[];
}

export const NO_FILES: ListedFiles = { patterns: [], place: { file: null, line: null } };

/** The setting and where it is written, as rules name their place. */
export function listName(setting: 'always_ask' | 'secret_files', { place }: ListedFiles): string {
  return `permissions.${setting}${place.file === null ? '' : ` (${place.file}:${place.line ?? 1})`}`;
}
