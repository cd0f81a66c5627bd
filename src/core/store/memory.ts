/** Memory notes of agents: one key range for each scope and folder. */
import type { MemoryNote } from '#contract/view.ts';
import { memoryOwner } from '#domain/memory-key.ts';
import type { RowKey } from '#contract/rows.ts';
import type { Database } from './database.ts';
import type { Reader } from './rows/reader.ts';
import type { Store } from './store.ts';

/** The scope of notes that belong to one run and go with it; no name of an agent has a colon. */
export function runScope(runId: string): string {
  return `${OF_RUN}${runId}`;
}

const OF_RUN = 'run:';

/** Whether the key is of a note that belongs to one run. */
export function isOfOneRun(key: RowKey): boolean {
  return typeof key !== 'string' && key[0].startsWith(OF_RUN);
}

export function memoryReads(reader: Reader): Pick<Store, 'notes' | 'notesOf'> {
  return {
    notesOf: async (scope, folder) => {
      const sql = 'SELECT * FROM memory:[$owner, NONE]..[$owner, ..]';
      return sorted(await reader.rows<MemoryNote>('memory', sql, { owner: memoryOwner(scope, folder) }));
    },
    notes: async (folder) => {
      const all = await reader.rows<MemoryNote>('memory', 'SELECT * FROM memory');
      const lasting = all.filter(({ scope }) => !scope.startsWith(OF_RUN));
      return sorted(lasting.filter((note) => folder === undefined || note.folder === folder));
    },
  };
}

/** Deletes the notes that belong to these runs alone. */
export async function deleteNotesOf(database: Database, runIds: readonly string[]): Promise<void> {
  // Every folder sorts before the last character.
  const bounds = runIds.flatMap((id, index): [string, string][] => [
    [`from${index}`, memoryOwner(runScope(id), '')],
    [`to${index}`, memoryOwner(runScope(id), '\uffff')],
  ]);
  const sql = runIds.map((_, index) => `DELETE memory:[$from${index}, NONE]..[$to${index}, ..] RETURN NONE;`);
  if (sql.length > 0) await database.transaction(sql.join('\n'), Object.fromEntries(bounds));
}

function sorted(notes: MemoryNote[]): MemoryNote[] {
  const key = ({ scope, folder, name }: MemoryNote): string => [scope, folder, name].join('\n');
  return notes.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
