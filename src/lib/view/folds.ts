/** Which calls of a transcript stand together in one quiet line, and what that line counts. */
import { callTitle, mcpPartsOf } from './call-title.ts';
import { mainArgument, type Block, type Call } from './transcript.ts';

type CallBlock = Extract<Block, { kind: 'call' }>;

/** `at`: its place among the blocks, of a fold that of its first call. */
export type Item =
  | { kind: 'block'; key: string; at: number; block: Block }
  | { kind: 'fold'; key: string; at: number; blocks: readonly CallBlock[] };

/** Fewer stand for themselves. */
const LEAST = 2;

/** `holds`: of a call that stays as it is, because somebody looks at it. A fold keeps its key while calls are added to it. */
export function itemsOf(blocks: readonly Block[], holds: (callId: string) => boolean): Item[] {
  const items: Item[] = [];
  let quiet: CallBlock[] = [];
  const settle = (end: number): void => {
    const at = end - quiet.length;
    if (quiet.length >= LEAST) items.push({ kind: 'fold', key: `fold-${quiet[0]!.key}`, at, blocks: quiet });
    else items.push(...quiet.map((block, index): Item => ({ kind: 'block', key: block.key, at: at + index, block })));
    quiet = [];
  };
  for (const [at, block] of blocks.entries()) {
    if (block.kind === 'call' && isQuiet(block.call) && !holds(block.call.id)) {
      quiet.push(block);
      continue;
    }
    settle(at);
    items.push({ kind: 'block', key: block.key, at, block });
  }
  settle(blocks.length);
  return items;
}

/**
 * Whether a call has ended well, and nothing of it has to stay in sight: not what changed files, started a sub-agent, was
 * decided by the person or is the answer itself.
 */
export function isQuiet({ state, children, change, result }: Call): boolean {
  if (state !== 'completed' || children.length > 0 || change !== null || result === null) return false;
  const { refused, diff, exitCode, decided, answer } = result.metadata;
  const isFailure = refused === true || (typeof exitCode === 'number' && exitCode !== 0);
  return !isFailure && typeof diff !== 'string' && decided === undefined && answer === undefined;
}

/** Whether its difference stands below it from the start: a file that was changed with a yes, also one that was undone since. */
export function showsChange({ state, result }: Pick<Call, 'state' | 'result'>): boolean {
  const diff = result?.metadata['diff'];
  return (
    state === 'completed' &&
    result?.metadata['refused'] !== true &&
    typeof diff === 'string' &&
    diff !== '' &&
    diff.length <= MAX_SHOWN
  );
}

/** In characters; what is longer shows when somebody asks for it. */
const MAX_SHOWN = 12_000;

const CALL_KINDS = [
  ...([
    'file',
    'folder',
    'search',
    'web',
    'page',
    'note',
    'report',
    'command',
    'agent',
    'memory',
    'plan',
    'thought',
  ] as const),
  ...(['server', 'other'] as const),
] as const;
export type CallKind = (typeof CALL_KINDS)[number];

const KINDS: ReadonlyMap<string, CallKind> = new Map<string, CallKind>([
  ['read_file', 'file'],
  ['list_directory', 'folder'],
  ['glob', 'search'],
  ['grep', 'search'],
  ['semantic_search', 'search'],
  ['web_search', 'web'],
  ['web_fetch', 'page'],
  ['read_note', 'note'],
  ['list_notes', 'note'],
  ['read_report', 'report'],
  ['read_output', 'report'],
  ['bash', 'command'],
  ['bash_online', 'command'],
  ['bash_jobs', 'command'],
  ['spawn_agent', 'agent'],
  ['delegate_task', 'agent'],
  ['parallel_tasks', 'agent'],
  ['memory', 'memory'],
  ['todo_write', 'plan'],
  ['todo_read', 'plan'],
  ['think', 'thought'],
]);

/** The same thing looked at twice is one thing. */
const OF_THINGS: ReadonlySet<CallKind> = new Set<CallKind>(['file', 'folder', 'page', 'note', 'report']);

/** How many of each kind there are, in the order in which the kinds are told. */
export function countsOf(calls: readonly Pick<Call, 'name' | 'input'>[]): { kind: CallKind; count: number }[] {
  const kindOf = ({ name }: Pick<Call, 'name'>): CallKind =>
    KINDS.get(name) ?? (mcpPartsOf(name) === null ? 'other' : 'server');
  const groups = Map.groupBy(calls, kindOf);
  return CALL_KINDS.flatMap((kind) => {
    const some = groups.get(kind) ?? [];
    if (some.length === 0) return [];
    const count = OF_THINGS.has(kind) ? new Set(some.map(({ input }) => mainArgument(input))).size : some.length;
    return { kind, count };
  });
}

/** Whether what the lines of these calls show has the words, in lower case, in it. */
export function callsHave(calls: readonly Pick<Call, 'name' | 'input'>[], words: string): boolean {
  return calls.some((call) => textsOfCall(call).some((text) => text.toLowerCase().includes(words)));
}

/** What the line of a call shows. */
export function textsOfCall({ name, input }: Pick<Call, 'name' | 'input'>): string[] {
  return [callTitle(name), mainArgument(input)];
}
