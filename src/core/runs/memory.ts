/** The notes that an agent keeps, for later workflows in the same folder or for its run alone: written, and deleted by it or by the person, through the log. */
import type { RunKind } from '#contract/agent.ts';
import { MAX_MEMORY_NOTES } from '#contract/limits.ts';
import type { MemoryNote } from '#contract/view.ts';
import type { Engine } from './engine.ts';
import { TriadError } from '../base/errors.ts';
import type { Recorder, RunIds } from '#core/store/log/recorder.ts';
import { memoryKey } from '#domain/memory-key.ts';
import { runScope } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import type { Memory } from '../tools/tool.ts';

/** A temporary agent may have any name; what marks it here is in no agent's name, so it never meets a permanent one. */
export function scopeOf(agent: string, kind: RunKind): string {
  return kind === 'spawn' ? `${TEMPORARY}${agent}` : agent;
}

/** Null where the scope is not that of a temporary agent. */
export function temporaryNameOf(scope: string): string | null {
  return scope.startsWith(TEMPORARY) ? scope.slice(TEMPORARY.length) : null;
}

const TEMPORARY = 'spawned:';

/** Notes of a temporary agent are its run's: no other of its name reads them. */
export function memoryScopeOf({ agent, runId }: Pick<RunIds, 'agent' | 'runId'>, kind: RunKind): string {
  return kind === 'spawn' ? runScope(runId) : agent;
}

export function memoryOf(
  store: Store,
  recorder: Recorder,
  { scope, folder }: { scope: string; folder: string },
): Memory {
  const write = async (name: string, text: string | null): Promise<void> => {
    await recorder.record({ type: 'memory-change', scope, folder, name, text });
  };
  const list = (): ReturnType<Memory['list']> => store.notesOf(scope, folder);
  const find = async (name: string) => (await list()).find((note) => note.name === name) ?? null;
  return {
    list,
    read: async (name) => (await find(name))?.text ?? null,
    write: async (name, text) => {
      const notes = await list();
      if (notes.length >= MAX_MEMORY_NOTES && !notes.some((note) => note.name === name)) {
        throw new TriadError(
          'limit_reached',
          `The memory is full: at most ${MAX_MEMORY_NOTES} notes can be kept. Delete one, or write to one that exists`,
        );
      }
      await write(name, text);
    },
    delete: async (name) => {
      if (!(await find(name))) return false;
      await write(name, null);
      return true;
    },
  };
}

/**
 * The person deletes a note, whether anything runs or not: an event of the run that wrote it last, which tells its end
 * where its beginning is told. Where that run is gone for good, or not known, no history has the note: its row goes.
 */
export async function deleteNote(
  { store, log }: Pick<Engine, 'store' | 'log'>,
  { scope, folder, name }: Pick<MemoryNote, 'scope' | 'folder' | 'name'>,
): Promise<void> {
  const note = (await store.notesOf(scope, folder)).find((one) => one.name === name);
  if (!note) throw new TriadError('not_found', `There is no note "${name}" of ${scope} in ${folder}`);
  const { writer } = note;
  const deleteRow = () => log.save([{ table: 'memory', key: memoryKey(scope, folder, name), row: null }]);
  if (!writer) return deleteRow();
  await log.open(writer.conversationId);
  await log.knowRun(writer.runId);
  const change = { type: 'memory-change', scope, folder, name, text: null, by: 'person' } as const;
  // Between two commits, as a conversation is purged: no event comes after its last one.
  const { stored } = await log.exclusive(writer.conversationId, async () => {
    const isKept = (await store.conversation(writer.conversationId)) !== null;
    const at = new Date().toISOString();
    return { stored: isKept ? log.append({ ...change, ...writer, at }) : deleteRow() };
  });
  await stored;
}
