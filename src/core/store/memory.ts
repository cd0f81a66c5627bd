/** Memory notes of agents: one key range for each scope and folder. */
import type { MemoryNote } from '#contract/view.ts';
import type { Reader } from './rows/reader.ts';
import type { Key, Store } from './store.ts';

export function memoryKey(scope: string, folder: string, name: string): Key {
  return [ownerOf(scope, folder), name];
}

/** Unambiguous, because no scope contains a line break. */
function ownerOf(scope: string, folder: string): string {
  return `${scope}\n${folder}`;
}

export function memoryReads(reader: Reader): Pick<Store, 'notes' | 'notesOf'> {
  return {
    notesOf: async (scope, folder) => {
      const sql = 'SELECT * FROM memory:[$owner, NONE]..[$owner, ..]';
      return sorted(await reader.rows<MemoryNote>('memory', sql, { owner: ownerOf(scope, folder) }));
    },
    notes: async (folder) => {
      const all = await reader.rows<MemoryNote>('memory', 'SELECT * FROM memory');
      return sorted(all.filter((note) => folder === undefined || note.folder === folder));
    },
  };
}

function sorted(notes: MemoryNote[]): MemoryNote[] {
  const key = ({ scope, folder, name }: MemoryNote): string => [scope, folder, name].join('\n');
  return notes.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
