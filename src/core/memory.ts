/** The notes that an agent keeps for later workflows in the same folder: its own only, written through the log. */
import type { RunKind } from '#contract/agent.ts';
import { MAX_MEMORY_NOTES } from '#contract/limits.ts';
import { TriadError } from './errors.ts';
import type { Recorder } from './recorder.ts';
import type { Store } from './store/store.ts';
import type { Memory } from './tools/tool.ts';

/** A temporary agent may have any name; what marks it here is in no agent's name, so it never meets a permanent one. */
export function scopeOf(agent: string, kind: RunKind): string {
  return kind === 'spawn' ? `spawned:${agent}` : agent;
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
