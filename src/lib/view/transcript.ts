/** The blocks of a run's transcript in order of time: text, thinking and tool calls, complete or streamed. */
import type { Approval } from '#contract/approval.ts';
import { grantIdOf } from '#contract/grant-id.ts';
import type { AssistantEntry, CompactionEntry, Entry, SystemEntry, ToolEntry, UserEntry } from '#contract/message.ts';
import type { CopiedFrom } from '#contract/messages/fork.ts';
import { serverCallOf, serverEntry, serverResults } from '#contract/web-search.ts';
import type { OpenMessage, RunRow, ToolCallRow } from '#contract/view.ts';
import { type Handoff, handoffsOf } from './handoffs.ts';

/** `writing`: its arguments are streamed; `waiting`: for an answer; `pending`: queued. */
export type CallState =
  | 'writing'
  | 'waiting'
  | 'pending'
  | 'running'
  | 'completed'
  | 'error'
  | 'cancelled'
  | 'interrupted';

export interface Call {
  id: string;
  name: string;
  /** Undefined while it is written. */
  input: unknown;
  /** The arguments as text while they are written, or where they are not JSON. */
  draft: string | null;
  state: CallState;
  startedAt: string | null;
  result: ToolEntry | null;
  /** Runs that this call asked for, in the order of the items. */
  children: RunRow[];
  /** What it wrote can be undone, or is; null for what wrote nothing. */
  change: 'done' | 'undone' | null;
  /** What allowed it instead of the person; null where the person did, or where no question was needed. */
  allowedBy: 'grant' | 'rule' | null;
  /** Whether the person changed it before allowing it. */
  edited?: boolean;
}

export type Block =
  /** `by`: the coagent whose words these are; null for the agent's own. */
  | {
      kind: 'text' | 'thinking';
      key: string;
      text: string;
      open: boolean;
      by: string | null;
      /** Number of its entry; missing while it is written. */
      n?: number;
      /** Where it was paid, of one that a fork took from its cache. */
      copiedFrom?: CopiedFrom;
    }
  | { kind: 'call'; key: string; call: Call }
  | { kind: 'user'; key: string; entry: UserEntry }
  | { kind: 'system'; key: string; entry: SystemEntry }
  | { kind: 'handoff'; key: string; handoff: Handoff }
  | { kind: 'compaction'; key: string; entry: CompactionEntry }
  | { kind: 'interrupted'; key: string }
  /** `calls`: names of those that were lost with the rest. */
  | { kind: 'cut'; key: string; calls: readonly string[] };

export interface RunRows {
  run: RunRow;
  entries: readonly Entry[];
  calls: readonly ToolCallRow[];
  /** The message that the run streams now. */
  open: OpenMessage | null;
  children: readonly RunRow[];
  approvals: readonly Approval[];
}

/** With the rows of the run's own calls, by the call: indexed once one is asked for, which no streamed text does. */
interface Indexed extends RunRows {
  rowOf: (callId: string) => ToolCallRow | undefined;
}

function indexed(source: RunRows): Indexed {
  let rows: ReadonlyMap<string, ToolCallRow> | undefined;
  const index = () => {
    const own = source.calls.filter(({ runId }) => runId === source.run.id);
    return new Map(own.map((row) => [row.toolCallId, row]));
  };
  return { ...source, rowOf: (callId) => (rows ??= index()).get(callId) };
}

/** All blocks of a run. Keys stay the same when an open message ends, so that elements are kept. */
export function blocksOf(rows: RunRows): Block[] {
  const source = indexed(rows);
  const results = resultsOf(source);
  const found = serverResults(source.entries);
  const handoffs = handoffsOf(source.entries);
  /** They stand in the line of the handoff. */
  const told = new Set([...handoffs.values()].flatMap(({ said }) => said?.n ?? []));
  const blocks = source.entries.flatMap((entry): Block[] => {
    switch (entry.kind) {
      case 'user':
        return told.has(entry.n) ? [] : [{ kind: 'user', key: `entry-${entry.n}`, entry }];
      case 'system':
        return [{ kind: 'system', key: `entry-${entry.n}`, entry }];
      case 'handoff': {
        const handoff = handoffs.get(entry.n);
        return handoff ? [{ kind: 'handoff', key: `entry-${entry.n}`, handoff }] : [];
      }
      case 'compaction':
        return [{ kind: 'compaction', key: `entry-${entry.n}`, entry }];
      case 'assistant':
        return assistantBlocks(source, entry, { results, found });
      case 'tool':
        return [];
    }
  });
  return source.open ? [...blocks, ...openBlocks(source, source.open)] : blocks;
}

/** Only the blocks of the open message. */
export function openBlocksOf(source: RunRows): Block[] {
  return source.open ? openBlocks(indexed(source), source.open) : [];
}

function resultsOf({ entries }: RunRows): Map<string, ToolEntry> {
  return new Map(entries.flatMap((entry) => (entry.kind === 'tool' ? [[entry.toolCallId, entry] as const] : [])));
}

interface Results {
  results: Map<string, ToolEntry>;
  /** Of what the provider did itself. */
  found: ReturnType<typeof serverResults>;
}

function assistantBlocks(source: Indexed, entry: AssistantEntry, { results, found }: Results): Block[] {
  const parts = entry.parts.flatMap((part, index): Block[] => {
    const key = `${entry.messageId}-${index}`;
    switch (part.type) {
      case 'text':
      case 'thinking':
        return part.text.trim() === ''
          ? []
          : [
              {
                kind: part.type,
                key,
                text: part.text,
                open: false,
                by: entry.by ?? null,
                n: entry.n,
                ...copiedFromOf(entry),
              },
            ];
      case 'tool_use': {
        const { id, name, input, malformed } = part;
        const call = { id, name, input, draft: malformed ?? null, result: results.get(id) ?? null };
        return [{ kind: 'call', key, call: withState(source, call, false) }];
      }
      case 'server': {
        const own = serverCallOf(part.block);
        const block = own && found.get(own.id);
        const result = own && block ? serverEntry(entry, own, block) : null;
        return own ? [{ kind: 'call', key, call: providersCall(own, result) }] : [];
      }
      case 'redacted_thinking':
        return [];
    }
  });
  const blocks = withWholeText(parts);
  const key = `${entry.messageId}-cut`;
  if (entry.cut) return [...blocks, { kind: 'cut', key, calls: entry.cut.calls }];
  return entry.interrupted ? [...blocks, { kind: 'interrupted', key }] : blocks;
}

const copiedFromOf = ({ copiedFrom }: AssistantEntry) => (copiedFrom ? { copiedFrom } : {});

/** Nobody was asked about it: it was left to the provider because every such call is allowed. */
function providersCall(own: Pick<Call, 'id' | 'name' | 'input'>, result: ToolEntry | null): Call {
  const none = { draft: null, startedAt: null, children: [], change: null };
  return { ...own, ...none, result, state: result?.status ?? 'interrupted', allowedBy: 'rule' };
}

/** A text that names where its words are from comes in pieces. */
function withWholeText(blocks: readonly Block[]): Block[] {
  return blocks.reduce<Block[]>((whole, block) => {
    const last = whole.at(-1);
    if (block.kind !== 'text' || last?.kind !== 'text') return [...whole, block];
    return [...whole.slice(0, -1), { ...last, text: last.text + block.text, open: block.open }];
  }, []);
}

/** Calls of it may be under way, or have their results, before it is complete. */
function openBlocks(source: Indexed, message: OpenMessage): Block[] {
  const results = resultsOf(source);
  const blocks = message.parts.flatMap((part, index): Block[] => {
    const key = `${message.messageId}-${index}`;
    if (part.kind !== 'tool') {
      return part.text.trim() === '' ? [] : [{ kind: part.kind, key, text: part.text, open: true, by: null }];
    }
    const id = part.toolCallId ?? key;
    const result = results.get(id) ?? null;
    const draft = { id, name: part.name ?? '', input: undefined, draft: part.text, result };
    const newest = index === message.parts.length - 1;
    const call = withState(source, draft, newest && !source.children.some(({ toolCallId }) => toolCallId === id));
    return [{ kind: 'call', key, call: call.state === 'writing' ? call : { ...call, input: parsed(part.text) } }];
  });
  return withWholeText(blocks);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

type Stateless = Omit<Call, 'state' | 'startedAt' | 'children' | 'allowedBy' | 'change' | 'edited'>;

function withState(source: Indexed, call: Stateless, writing: boolean): Call {
  const row = source.rowOf(call.id);
  const children = source.children.filter(({ toolCallId }) => toolCallId === call.id).sort((a, b) => a.item - b.item);
  const asked = askedOf(source, call);
  const state = stateOf(source, call, asked, row, writing);
  const change = call.result?.metadata['undoable'] === true ? (row?.undone ? 'undone' : 'done') : null;
  const edited = asked?.request.subject.kind === 'tool' && asked.decisions[0]?.outcome === 'edited';
  const own: Call = {
    ...call,
    children,
    startedAt: row?.startedAt ?? null,
    state,
    allowedBy: allowedBy(asked),
    change,
  };
  return edited ? { ...own, edited } : own;
}

function askedOf({ run, approvals }: RunRows, { id }: Stateless): Approval | undefined {
  const own = approvals.filter(({ request }) => request.runId === run.id && request.toolCallId === id);
  const asksNow = own.find(({ request, decisions }) => request.during && decisions.includes(null));
  return asksNow ?? own.find(({ request }) => !request.during);
}

function allowedBy(asked: Approval | undefined): Call['allowedBy'] {
  const ruled = asked?.decisions.find((decision) => decision?.allowed && decision.decidedBy === 'rule');
  if (!ruled) return null;
  return grantIdOf(ruled.ruleId) === null ? 'rule' : 'grant';
}

function stateOf(
  source: RunRows,
  call: Stateless,
  asked: Approval | undefined,
  row: ToolCallRow | undefined,
  writing: boolean,
): CallState {
  if (call.result) return call.result.status;
  const ended = source.run.outcome !== null;
  if (row && row.status !== 'running') return row.status;
  if (ended) return 'interrupted';
  if (row) return 'running';
  if (asked?.decisions.includes(null)) return 'waiting';
  return writing && !asked ? 'writing' : 'pending';
}

/** Index of the block that shows the entry number `n`; -1 where none does. */
export function blockIndexOf(blocks: readonly Block[], entries: readonly Entry[], n: number): number {
  const entry = entries.find((one) => one.n === n);
  switch (entry?.kind) {
    case undefined:
      return -1;
    case 'assistant':
      return blocks.findIndex(({ key }) => key.startsWith(`${entry.messageId}-`));
    case 'tool':
      return blocks.findIndex((block) => block.kind === 'call' && block.call.id === entry.toolCallId);
    case 'user':
    case 'system':
    case 'compaction':
    case 'handoff':
      return blocks.findIndex(
        (block) => block.key === `entry-${n}` || (block.kind === 'handoff' && block.handoff.said?.n === n),
      );
  }
}

/** The last tool call among the blocks. */
export function lastCall(blocks: readonly Block[]): Call | null {
  const block = blocks.findLast(({ kind }) => kind === 'call');
  return block?.kind === 'call' ? block.call : null;
}

/** Argument names that say most about a call, the best first. */
const MAIN_ARGUMENTS = ['path', 'file_path', 'command', 'query', 'url', 'agent', 'name', 'title', 'prompt'];

/** The one argument that tells calls of a tool apart, on one line; empty where there is none. */
export function mainArgument(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const fields: [string, unknown][] = Object.entries(input);
  const { from, to, pattern, path } = Object.fromEntries(fields);
  if (typeof from === 'string' && typeof to === 'string') return onOneLine(`${from} → ${to}`);
  // What is looked for, then where.
  if (typeof pattern === 'string' && typeof path === 'string' && path !== '' && path !== '.')
    return onOneLine(`${pattern} · ${path}`);
  if (typeof pattern === 'string' && pattern !== '') return onOneLine(pattern);
  const named = MAIN_ARGUMENTS.map((name) => fields.find(([field]) => field === name)?.[1]);
  const value = [...named, ...fields.map(([, other]) => other)].find(
    (candidate) => typeof candidate === 'string' && candidate !== '',
  );
  if (typeof value === 'string') return onOneLine(value);
  // For a list, its first item.
  const list = fields.map(([, other]) => other).find(Array.isArray);
  return mainArgument(list?.[0]);
}

function onOneLine(value: string): string {
  // Where a line ends changes what a command does.
  return value
    .trim()
    .replace(/\s*\n\s*/g, ' ⏎ ')
    .replace(/\s+/g, ' ')
    .slice(0, 200);
}
