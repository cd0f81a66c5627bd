/** How a call is best shown: chosen by its tool and by what is known of it; null for its arguments and output as text. */
import type { PlanItem } from '#contract/message.ts';
import { withoutEditNote } from '#contract/messages/edit-note.ts';
import { answerOf, type Answer, objectIn } from './answer.ts';
import { foundOf, type FoundPage } from './found.ts';
import { hitsOf, type FileHits } from './hits.ts';
import type { Call } from './transcript.ts';

/** So many rows show before somebody asks for all. */
export const FOLDED_ROWS = 20;

export type CallView =
  /** `output`: null before anything was printed; `exitCode`, `folder`: null where they are not known. */
  | { kind: 'terminal'; command: string | null; output: string | null; exitCode: number | null; folder: string | null }
  | { kind: 'hits'; files: FileHits[]; notes: string[] }
  | { kind: 'paths'; paths: string[]; notes: string[] }
  | { kind: 'change'; diff: string }
  /** Nothing is written yet, or was not: `parts` of the file become others; `before` is null for all of it. */
  | { kind: 'write'; path: string; parts: { before: string | null; after: string }[] }
  | { kind: 'plan'; items: PlanItem[] }
  | { kind: 'thought'; text: string }
  | { kind: 'found'; pages: FoundPage[] }
  /** `notes`: what the tool says of it, apart from it. */
  | { kind: 'document'; body: string; markdown: boolean; notes: string[] }
  | Answer;

/** As its tool said it: that the person changed the call is no word of its tool. */
export function asItRan(call: Call): Call {
  const { result } = call;
  return call.edited && result ? { ...call, result: { ...result, output: withoutEditNote(result.output) } } : call;
}

/** `printed`: what it has printed last while it runs, null where nothing is known. */
export function callView(call: Call, printed: string | null): CallView | null {
  const wanted = writeOf(call);
  // A call that was refused shows what was asked for, and the reason.
  if (call.result?.metadata['refused'] === true) return wanted;
  const diff = call.result?.metadata['diff'];
  if (typeof diff === 'string' && diff !== '') return { kind: 'change', diff };
  // What one that failed says of itself stands in its output.
  if (wanted !== null && call.result?.status !== 'completed') return wanted;
  return VIEWS.get(call.name)?.(call, printed) ?? answerOf(call);
}

/** What a call wants to write into a file. */
function writeOf(call: Call): Extract<CallView, { kind: 'write' }> | null {
  const [path, content, edits] = ['path', 'content', 'edits'].map((name) => fieldOf(call, name));
  if (typeof path !== 'string') return null;
  if (call.name === 'write_file' && typeof content === 'string')
    return { kind: 'write', path, parts: [{ before: null, after: content }] };
  if (call.name !== 'edit_file' || !Array.isArray(edits)) return null;
  const parts = edits.map((edit: unknown) => {
    const [before, after] = ['old_text', 'new_text'].map((name): unknown =>
      typeof edit === 'object' && edit !== null ? Reflect.get(edit, name) : undefined,
    );
    return typeof before === 'string' && typeof after === 'string' ? { before, after } : null;
  });
  return parts.every((part) => part !== null) ? { kind: 'write', path, parts } : null;
}

type View = (call: Call, printed: string | null) => CallView | null;

const command: View = (call, printed) => {
  const line = fieldOf(call, 'command');
  if (typeof line !== 'string') return null;
  const { exitCode, folder } = call.result?.metadata ?? {};
  return {
    kind: 'terminal',
    command: line,
    output: call.result?.output ?? printed,
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    folder: typeof folder === 'string' ? folder : null,
  };
};

const paths: View = ({ result }) => {
  if (result?.status !== 'completed') return null;
  const lines = result.output.split('\n').filter((line) => line !== '');
  const [notes, names] = partition(lines, (line) => NOTE.test(line));
  return { kind: 'paths', paths: names, notes };
};

const terminal: View = (call, printed) =>
  fieldOf(call, 'action') === 'read'
    ? { kind: 'terminal', command: null, output: call.result?.output ?? printed, exitCode: null, folder: null }
    : null;

const hits: View = ({ result }) =>
  result ? { kind: 'hits', ...hitsOf(result.output, result.metadata['marks']) } : null;

const plan: View = (call) => {
  if (hasFailed(call)) return null;
  const items = fieldOf(call, 'items');
  return Array.isArray(items) && items.every(isPlanItem) ? { kind: 'plan', items } : null;
};

const thought: View = (call) => {
  if (hasFailed(call)) return null;
  const text = fieldOf(call, 'thought');
  return typeof text === 'string' ? { kind: 'thought', text } : null;
};

const found: View = (call) => {
  const pages = call.result?.status === 'completed' ? foundOf(call.result.output) : null;
  return pages && { kind: 'found', pages };
};

/** The sentences that a tool puts around what it read stand in brackets, on the first lines or on the last one. */
const read =
  (markdown: boolean): View =>
  ({ result }) => {
    // A picture shows itself.
    if (result?.status !== 'completed' || result.image) return null;
    const lines = result.output.trimEnd().split('\n');
    const from = lines.findIndex((line) => !NOTE.test(line));
    if (from < 0) return null;
    const hasEnd = NOTE.test(lines.at(-1) ?? '');
    const body = lines.slice(from, hasEnd ? -1 : undefined).join('\n');
    const notes = [...lines.slice(0, from), ...lines.slice(hasEnd ? -1 : lines.length)];
    return { kind: 'document', body: body.replace(/^\n+|\n+$/g, ''), markdown, notes };
  };

/** What sub-agents reported, where their runs are not there to show it: a fork takes over no others than the lead's. */
const reported: View = ({ result }) => {
  if (result?.status !== 'completed') return null;
  // The engine may have appended a remark to the JSON.
  const handed = objectIn(result.output.slice(0, result.output.lastIndexOf('}') + 1));
  const each: unknown = handed && (Reflect.get(handed, 'results') ?? [handed]);
  const reports = (Array.isArray(each) ? each : []).flatMap((one: unknown) => {
    const report: unknown = typeof one === 'object' && one !== null ? Reflect.get(one, 'report') : null;
    return typeof report === 'string' && report !== '' ? [report] : [];
  });
  return reports.length === 0
    ? null
    : { kind: 'document', body: reports.join('\n\n---\n\n'), markdown: true, notes: [] };
};

const remembered: View = (call, printed) => (fieldOf(call, 'operation') === 'read' ? read(true)(call, printed) : null);

/** By the name of the tool. */
const VIEWS: ReadonlyMap<string, View> = new Map([
  ['bash', command],
  ['bash_online', command],
  ['bash_jobs', terminal],
  ['grep', hits],
  ['glob', paths],
  ['list_directory', paths],
  ['todo_write', plan],
  ['think', thought],
  ['read_file', read(false)],
  ['read_output', read(false)],
  ['read_note', read(true)],
  ['read_report', read(true)],
  ['web_fetch', read(true)],
  ['web_search', found],
  ['memory', remembered],
  ['spawn_agent', reported],
  ['delegate_task', reported],
  ['parallel_tasks', reported],
]);

/** Then its output says why. */
function hasFailed({ result }: Call): boolean {
  return result !== null && result.status !== 'completed';
}

/** What a tool adds to a list: the sentences stand in brackets, on lines of their own. */
const NOTE = /^\[.*\.\]$|^\[You look for: .*\]$/;

function fieldOf({ input }: Call, name: string): unknown {
  return typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined;
}

const STATES = ['pending', 'in_progress', 'completed'];

function isPlanItem(item: unknown): item is PlanItem {
  if (typeof item !== 'object' || item === null) return false;
  const { content, status } = item as Partial<Record<keyof PlanItem, unknown>>;
  return typeof content === 'string' && typeof status === 'string' && STATES.includes(status);
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
