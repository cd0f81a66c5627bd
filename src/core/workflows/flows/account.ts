/** Summarises the work of an agent in a few lines for another one, which cannot see its history. Pure. */
import { PlanItem, type Entry, type ToolEntry } from '#contract/message.ts';
import { z } from 'zod';
import { callsOf, turnsOf } from '#core/store/log/transcript.ts';
import { cutAtBytes, cutAtCodePoint } from '#core/base/text.ts';

/** Maximum size of the account, in bytes of UTF-8. */
const MAX_ACCOUNT_BYTES = 8 * 1024;
/** Maximum number of named tools, targets of one tool, and files. Further ones are counted. */
const MAX_TOOLS = 30;
const MAX_TARGETS = 5;
const MAX_FILES = 40;
/** In code units. */
const MAX_TARGET_CHARS = 120;

/** Returns the account: turns, tools with their targets, changed files, and the plan. */
export function accountOf(entries: readonly Entry[]): string {
  const turns = turnsOf(entries);
  const lines = [
    `${turns} turn${turns === 1 ? '' : 's'}`,
    ...toolLines(entries),
    ...named('Files changed', changedFiles(entries).map(fileWords)),
    ...named('Plan', planOf(entries).map(planWords)),
  ];
  const whole = lines.join('\n');
  const cut = cutAtBytes(whole, MAX_ACCOUNT_BYTES);
  return cut === whole ? whole : `${cut}\n(cut here)`;
}

/** Returns the changed files, one in each line. */
export function changesIn(entries: readonly Entry[]): string {
  return cutAtBytes(changedFiles(entries).map(fileWords).join('\n'), MAX_ACCOUNT_BYTES) || 'No file was changed.';
}

/** Returns the newest plan of the agent, one step in each line. */
export function planIn(entries: readonly Entry[]): string {
  return planOf(entries).map(planWords).join('\n') || 'There is no plan.';
}

function toolLines(entries: readonly Entry[]): string[] {
  const calls = entries.flatMap((entry) => (entry.kind === 'assistant' && !entry.interrupted ? callsOf(entry) : []));
  if (calls.length === 0) return ['No tool was called'];
  const failed = new Set(
    entries.flatMap((entry) => (entry.kind === 'tool' && entry.status !== 'completed' ? [entry.toolCallId] : [])),
  );
  const tools = [...Map.groupBy(calls, ({ name }) => name)].map(([name, own]) => {
    const wrong = own.filter(({ id }) => failed.has(id)).length;
    const targets = [...new Set(own.flatMap(({ input }) => targetOf(input)))];
    const shown = targets.slice(0, MAX_TARGETS).join(', ');
    const more = targets.length > MAX_TARGETS ? ` and ${targets.length - MAX_TARGETS} more` : '';
    return `${name} ${own.length}×${wrong > 0 ? ` (${wrong} failed)` : ''}${shown === '' ? '' : `: ${shown}${more}`}`;
  });
  return named('Tools called', tools, MAX_TOOLS);
}

/** Keys of an input that contain the target of a call, the most specific first. */
const TARGETS = ['path', 'from', 'command', 'pattern', 'url', 'query', 'agent_id', 'name'] as const;

function targetOf(input: unknown): string[] {
  const values = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  const found = TARGETS.flatMap((key) => values.filter(([name]) => name === key)).find(
    ([, value]) => typeof value === 'string' && value !== '',
  );
  if (!found) return [];
  const whole = String(found[1]).replaceAll(/\s+/g, ' ');
  const cut = cutAtCodePoint(whole, MAX_TARGET_CHARS);
  return [cut === whole ? whole : `${cut}…`];
}

interface Changed {
  path: string;
  /** Number of lines; null if unknown. */
  added: number | null;
  removed: number | null;
}

/** Returns the changed files of calls that can be undone, from their results. */
const Metadata = z.object({
  undoable: z.literal(true),
  path: z.string(),
  also: z.array(z.string()).optional(),
  added: z.number().optional(),
  removed: z.number().optional(),
});

function changedFiles(entries: readonly Entry[]): Changed[] {
  const files = new Map<string, Changed>();
  const tools = entries.filter((entry): entry is ToolEntry => entry.kind === 'tool');
  for (const { metadata } of tools) {
    const { data } = Metadata.safeParse(metadata);
    if (!data) continue;
    for (const path of [data.path, ...(data.also ?? [])]) {
      const before = files.get(path) ?? { path, added: 0, removed: 0 };
      const sum = (has: number | null, more: number | undefined): number | null =>
        has === null || more === undefined ? null : has + more;
      files.set(path, { path, added: sum(before.added, data.added), removed: sum(before.removed, data.removed) });
    }
  }
  return [...files.values()];
}

function fileWords({ path, added, removed }: Changed): string {
  return added === null || removed === null ? path : `${path} (+${added} -${removed})`;
}

function planOf(entries: readonly Entry[]): PlanItem[] {
  const written = new Set(
    entries.flatMap((entry) =>
      entry.kind === 'tool' && entry.name === 'todo_write' && entry.status === 'completed' ? [entry.toolCallId] : [],
    ),
  );
  const calls = entries.flatMap((entry) => (entry.kind === 'assistant' ? callsOf(entry) : []));
  const last = calls.findLast(({ id }) => written.has(id));
  return z.object({ items: z.array(PlanItem) }).safeParse(last?.input).data?.items ?? [];
}

function planWords({ content, status }: PlanItem): string {
  return `[${status === 'completed' ? 'x' : status === 'in_progress' ? '~' : ' '}] ${content}`;
}

function named(title: string, lines: readonly string[], max = MAX_FILES): string[] {
  if (lines.length === 0) return [];
  const more = lines.length > max ? [`- and ${lines.length - max} more`] : [];
  return ['', `${title}:`, '', ...lines.slice(0, max).map((line) => `- ${line}`), ...more];
}
