/** The row of a call after its end and after each undo. */
import type { DurableEvent } from '#contract/event.ts';
import type { ToolCallRow } from '#contract/view.ts';

type Event<T extends DurableEvent['type']> = Extract<DurableEvent, { type: T }>;

export function endedCall({ runId, at, entry }: Event<'tool-end'>): ToolCallRow {
  const { toolCallId, name, status, durationMs, output, metadata } = entry;
  const { refused, undoable, path, also, taken } = metadata;
  return {
    runId,
    toolCallId,
    name,
    status,
    startedAt: new Date(Date.parse(at) - durationMs).toISOString(),
    endedAt: at,
    ...(refused === true ? { refusal: output } : {}),
    ...(undoable === true && typeof path === 'string' ? { wrote: path, ...alsoOf(also) } : {}),
    ...(status === 'completed' && undoable !== true && taken !== true && isNote(path) ? { read: path } : {}),
  };
}

/** Returns the item that an undo adds to `undos` of the row. */
export function undoOf(event: Event<'change-undo'>): NonNullable<ToolCallRow['undos']>[number] {
  const { path, also, part, undone, at } = event;
  return { path, ...(also ? { also } : {}), ...(part ? { part } : {}), undone, at };
}

/** Returns the field `undone` of the row after an undo event; an empty object for an undo of a part. */
export function undoneBy({ undone, part }: Event<'change-undo'>): { undone?: boolean } {
  return part ? {} : { undone };
}

function alsoOf(also: unknown): { wroteAlso?: string[] } {
  if (!Array.isArray(also) || also.length === 0) return {};
  return { wroteAlso: also.filter((path) => typeof path === 'string') };
}

/** Returns the files that a call wrote. The files of a call that a crash interrupted are known only after an undo. */
export function wroteOf({ wrote, wroteAlso = [], undos }: ToolCallRow): string[] {
  if (wrote !== undefined) return [wrote, ...wroteAlso];
  const [first] = undos ?? [];
  return first ? [first.path, ...(first.also ?? [])] : [];
}

/** Returns whether a path is a note: a Markdown file of the folder, and not in a folder that begins with a dot. */
export function isNote(path: unknown): path is string {
  return typeof path === 'string' && /\.(md|markdown)$/i.test(path) && !/^\/|^[a-z]:|(^|\/)\./i.test(path);
}

/** Returns the notes that calls read and wrote, each once, by path. */
export function notesOf(calls: readonly ToolCallRow[]): { read: string[]; written: string[] } {
  const sorted = (paths: readonly string[]): string[] => [...new Set(paths)].sort();
  return {
    read: sorted(calls.flatMap(({ read }) => read ?? [])),
    written: sorted(calls.flatMap(wroteOf).filter(isNote)),
  };
}

/** Ends the name of a file that stands for others, too. */
export function andMore(others: readonly string[] = []): string {
  return others.length === 0 ? '' : ` and ${others.length} more`;
}
