/** Builds recordings: lists of events, numbered and dated as the log and the history do it. */
import type { Envelope, RunKind } from '#contract/agent.ts';
import type { ApprovalRequest, Decision } from '#contract/approval.ts';
import type { AgentEvent, DurableEvent, HintEvent, RequestStart, RequestUsage } from '#contract/event.ts';
import { isServing } from '#contract/flows/serving.ts';
import type {
  AssistantEntry,
  CompactionEntry,
  HandoffEntry,
  SystemEntry,
  ToolEntry,
  UserEntry,
} from '#contract/message.ts';
import type { Usage } from '#contract/outcome.ts';
import type { ConversationRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { canonicalHash } from '#core/base/hash.ts';
import type { Payload, RunIds } from '#core/store/log/recorder.ts';
import { envelopeOf } from './envelope.ts';

/** The same id each time, in the form that the core makes. */
export const idOf = (n: number): string => `01957a10-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');
/** Time between two events. */
const STEP_MS = 100;

export const conversationId = idOf(1);

export const lead: RunIds = {
  conversationId,
  workflowId: idOf(2),
  runId: idOf(3),
  parentRunId: null,
  agent: 'lead',
};
export const reviewer: RunIds = {
  ...lead,
  runId: idOf(4),
  parentRunId: lead.runId,
  agent: 'code-reviewer',
};

export const usageOf = (rest: Partial<Usage> = {}): Usage => ({
  inputTokens: 900,
  outputTokens: 120,
  cacheReadTokens: 2000,
  cacheWriteTokens: 100,
  costUsd: 0.0049,
  ...rest,
});

export function conversationRow(): ConversationRow {
  const at = new Date(START_MS).toISOString();
  return {
    id: conversationId,
    title: '',
    folder: '/home/ada/parser',
    agent: 'lead',
    createdAt: at,
    updatedAt: at,
    lastSeq: 0,
    usage: ZERO_TALLY,
  };
}

type New<E> = Omit<E, 'n' | 'at' | 'kind'>;
type HintPayload = HintEvent extends infer E ? (E extends HintEvent ? Omit<E, keyof RunIds | 'at'> : never) : never;

/** Numbers and dates what runs tell, as the log and the history do. */
export class Recording {
  readonly events: AgentEvent[] = [];
  #seq = 0;
  #ms = START_MS;
  readonly #entries = new Map<string, number>();
  /** What was queued, by run id. */
  readonly queued = new Map<string, Extract<Payload, { type: 'run-queue' }>>();

  get durable(): DurableEvent[] {
    return this.events.filter((event) => 'seq' in event);
  }

  /** The time of the newest event. */
  get at(): string {
    return new Date(this.#ms).toISOString();
  }

  record(who: RunIds, payload: Payload): void {
    this.#ms += STEP_MS;
    this.#seq += 1;
    if (payload.type === 'run-queue') this.queued.set(who.runId, payload);
    this.events.push({ ...payload, at: this.at, ...who, seq: this.#seq });
  }

  hint(who: RunIds, payload: HintPayload): void {
    this.events.push({ ...payload, at: this.at, ...who });
  }

  words(who: RunIds, entry: New<UserEntry>): void {
    this.record(who, { type: 'message-end', entry: { kind: 'user', ...entry, ...this.#next(who) } });
  }

  response(who: RunIds, entry: New<AssistantEntry>): void {
    this.record(who, { type: 'message-end', entry: { kind: 'assistant', ...entry, ...this.#next(who) } });
  }

  remark(who: RunIds, code: SystemEntry['code'], text: string): void {
    this.record(who, { type: 'message-end', entry: { kind: 'system', code, text, ...this.#next(who) } });
  }

  /** Told, and taken back. */
  compaction(who: RunIds, entry: New<CompactionEntry>): void {
    const told = { kind: 'compaction' as const, ...entry, ...this.#next(who) };
    this.record(who, { type: 'compaction', entry: told });
    this.record(who, { type: 'compaction-undo', entry: { ...told, undone: true } });
  }

  handoff(who: RunIds, entry: New<HandoffEntry>): void {
    this.record(who, { type: 'handoff', entry: { kind: 'handoff', ...entry, ...this.#next(who) } });
  }

  result(who: RunIds, entry: New<ToolEntry>): void {
    this.record(who, { type: 'tool-end', entry: { kind: 'tool', ...entry, ...this.#next(who) } });
  }

  /** How many its history has. */
  entries({ runId }: RunIds): number {
    return this.#entries.get(runId) ?? 0;
  }

  #next({ runId }: RunIds): { n: number; at: string } {
    const n = this.#entries.get(runId) ?? 0;
    this.#entries.set(runId, n + 1);
    return { n, at: new Date(this.#ms + STEP_MS).toISOString() };
  }
}

/** One turn of the model: its request, what it used, and the response in full. */
interface Turn {
  turn: number;
  messageId: string;
  parts: AssistantEntry['parts'];
  stopReason: AssistantEntry['stopReason'];
}

/** What is known of a request when its answer begins. */
export function startOf(request: RequestUsage): RequestStart {
  const { requestId, attempt, inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = request;
  return { requestId, attempt, inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens };
}

export function respond(recording: Recording, who: RunIds, { turn, messageId, parts, stopReason }: Turn): void {
  recording.record(who, { type: 'turn-start', turn, model: 'claude-sonnet-5-5' });
  const request = requestUsage(recording, { turn, stopReason });
  recording.record(who, { type: 'message-start', messageId, turn, request: startOf(request) });
  recording.record(who, { type: 'usage', request });
  const responseId = `msg_${messageId.slice(-2)}`;
  recording.response(who, { messageId, responseId, parts, stopReason, interrupted: false });
  if (stopReason !== 'tool_use') recording.record(who, { type: 'turn-end', turn, stopReason });
}

export function requestUsage(recording: Recording, rest: Partial<RequestUsage>): RequestUsage {
  return {
    requestId: idOf(1000 + recording.events.length),
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    turn: 0,
    attempt: 1,
    inputTokens: 300,
    cacheReadTokens: 1000,
    cacheWrite5mTokens: 50,
    cacheWrite1hTokens: 0,
    outputTokens: 60,
    thinkingTokens: 0,
    reported: true,
    stopReason: 'end_turn',
    error: null,
    startedAt: recording.at,
    firstTokenMs: 240.5,
    durationMs: 800,
    priceVersion: '2026-02-01',
    nanoUsd: 2_287_500,
    ...rest,
  };
}

/** What a call of the lead asks for; several of a batch share one call. */
interface Job {
  prompt: string;
  title: string;
  kind?: RunKind;
  toolCallId?: string | null;
  item?: number;
  place?: number;
  /** Of its envelope. */
  changes?: Partial<Envelope>;
}

/** Queued with the envelope that it returns; started by `start`. */
export function queue(recording: Recording, who: RunIds, job: Job): Envelope {
  const { prompt, title, kind = 'lead', toolCallId = null, item = 0, place, changes } = job;
  const envelope = envelopeOf(who.agent, prompt, changes);
  const { depth, parentChain } = recording.queued.get(who.parentRunId ?? '') ?? {
    depth: 0,
    parentChain: ['user', 'lead'],
  };
  const isLead = who.parentRunId === null;
  recording.record(who, {
    type: 'run-queue',
    kind,
    depth: isLead || isServing({ kind }) ? depth : depth + 1,
    name: who.agent,
    title,
    task: prompt,
    toolCallId,
    item,
    ...(place === undefined ? {} : { place }),
    parentChain: isLead ? ['user', who.agent] : [...parentChain, who.agent],
    traceId: who.runId.replaceAll('-', ''),
    envelope,
    envelopeHash: canonicalHash(envelope),
  });
  return envelope;
}

export function start(recording: Recording, who: RunIds, envelope: Envelope, attempt = 1): void {
  const envelopeHash = canonicalHash(envelope);
  const { kind = 'lead' } = recording.queued.get(who.runId) ?? {};
  const serves = isServing({ kind }) ? { serves: true as const } : {};
  recording.record(who, { type: 'run-start', attempt, envelope, envelopeHash, queuedMs: 12.5, ...serves });
  if (attempt > 1) return recording.remark(who, 'resumed', `Resumed (attempt ${attempt})`);
  recording.words(who, { source: who.parentRunId === null ? 'person' : 'parent', text: envelope.prompt });
}

/** The question before sub-agents start, and the answer to each: what they are told with a no, null for a yes. */
export function approve(
  recording: Recording,
  { parentRunId: _, ...asking }: RunIds,
  operation: 'spawn' | 'delegate' | 'parallel',
  asked: readonly { runId: string; title: string; envelope: Envelope; no: string | null }[],
): void {
  const hashes = asked.map(({ envelope }) => canonicalHash(envelope));
  const items = asked.map(({ runId, title, envelope }, index) => {
    return { runId, title, envelope, hash: hashes[index] ?? '' };
  });
  const names = asked.map(({ envelope }) => envelope.agent).join(', ');
  const approval: ApprovalRequest = {
    id: idOf(500 + recording.events.length),
    ...asking,
    toolCallId: `call_${operation}`,
    chain: ['user', 'lead'],
    title: `Start ${names}?`,
    description: 'A sub-agent gets its system prompt and its prompt, and hands back one report.',
    subject: { kind: 'envelopes', operation, items },
    options: [
      { id: 'allow', name: 'Allow once', kind: 'allow_once' },
      { id: 'reject', name: 'Reject', kind: 'reject_once' },
    ],
    risk: 'medium',
    reversible: true,
    remainingMs: 300_000,
    at: recording.at,
  };
  const who = { ...asking, parentRunId: null };
  recording.record(who, { type: 'approval-request', approval });
  asked.forEach(({ no }, item) => {
    const decision: Decision = {
      item,
      outcome: 'selected',
      optionId: no === null ? 'allow' : 'reject',
      allowed: no === null,
      decidedBy: 'person',
      ruleId: null,
      reason: no,
      at: recording.at,
      hashBefore: hashes[item] ?? '',
      hashAfter: hashes[item] ?? '',
    };
    recording.record(who, { type: 'approval-decide', approvalId: approval.id, decision });
  });
}
