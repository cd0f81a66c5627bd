/** What a client sees of one tool call: its title, kind, places and contents. Pure. */
import { resolve } from 'node:path';
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';

/** Longest output that is shown; the whole stands in the history. */
const SHOWN_CHARS = 20_000;

const KINDS: Readonly<Record<string, ToolKind>> = {
  ...every('read', [
    'read_file',
    'read_output',
    'read_note',
    'read_report',
    'list_directory',
    'list_notes',
    'todo_read',
  ]),
  ...every('search', ['glob', 'grep', 'semantic_search']),
  ...every('edit', ['write_file', 'edit_file']),
  ...every('execute', ['bash', 'bash_online', 'bash_jobs']),
  ...every('fetch', ['web_fetch', 'web_search']),
  ...every('think', ['think', 'todo_write', 'task_complete']),
  delete_file: 'delete',
  move_file: 'move',
};

function every(kind: ToolKind, names: readonly string[]): Record<string, ToolKind> {
  return Object.fromEntries(names.map((name) => [name, kind]));
}

export function kindOf(name: string): ToolKind {
  return KINDS[name] ?? 'other';
}

/** Arguments that say what a call is about, the most telling first. */
const TELLING = ['description', 'command', 'path', 'from', 'pattern', 'query', 'url', 'reason', 'question'] as const;

export function titleOf(name: string, input: unknown): string {
  const given = fieldsOf(input);
  const about = TELLING.map((field) => given[field]).find((value) => typeof value === 'string' && value.trim() !== '');
  const line = typeof about === 'string' ? about.trim().split('\n', 1)[0] : '';
  return line ? `${name}: ${line.length > 120 ? `${line.slice(0, 119)}…` : line}` : name;
}

/** Absolute paths of the files that the call names. */
export function locationsOf(
  folder: string,
  input: unknown,
  metadata: Record<string, unknown> = {},
): ToolCallLocation[] {
  const given = fieldsOf(input);
  const also = Array.isArray(metadata['also']) ? (metadata['also'] as unknown[]) : [];
  const paths = [given['path'], given['from'], given['to'], metadata['path'], ...also].filter(
    (path) => typeof path === 'string',
  );
  const line = typeof given['offset'] === 'number' ? { line: given['offset'] } : {};
  return [...new Set(paths.map((path) => resolve(folder, path)))].map((path) => ({ path, ...line }));
}

/** A diff where one was made, else what the model read. */
export function contentOf(folder: string, output: string, metadata: Record<string, unknown>): ToolCallContent[] {
  const { diff, path } = metadata;
  if (typeof diff === 'string' && typeof path === 'string') {
    const diffs = diffsOf(resolve(folder, path), diff);
    if (diffs.length > 0) return diffs;
  }
  return output === '' ? [] : [textContent(reportIn(output))];
}

/** What a sub-agent has reported, where a call hands that over; else the output itself. */
function reportIn(output: string): string {
  if (!output.startsWith('{')) return output;
  try {
    const { report, error } = JSON.parse(output) as Record<string, unknown>;
    return [report, error].find((words) => typeof words === 'string' && words !== '')?.toString() ?? output;
  } catch {
    return output;
  }
}

export function textContent(text: string): ToolCallContent {
  const shown =
    text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}\n[… ${text.length - SHOWN_CHARS} more]` : text;
  return { type: 'content', content: { type: 'text', text: shown } };
}

/** Each hunk of a unified diff of one file as the text before and after. */
export function diffsOf(path: string, unified: string): ToolCallContent[] {
  const hunks: { before: string[]; after: string[] }[] = [];
  for (const line of unified.split('\n')) {
    if (line.startsWith('@@')) hunks.push({ before: [], after: [] });
    const hunk = hunks.at(-1);
    const [mark, rest] = [line[0], line.slice(1)];
    if (!hunk || line.startsWith('@@')) continue;
    if (mark === ' ' || mark === '-') hunk.before.push(rest);
    if (mark === ' ' || mark === '+') hunk.after.push(rest);
  }
  return hunks.map(({ before, after }) => ({
    type: 'diff',
    path,
    oldText: before.length === 0 ? null : before.join('\n'),
    newText: after.join('\n'),
  }));
}

function fieldsOf(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
}
