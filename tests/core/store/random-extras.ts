/** Random events beside the turns of a workflow, with the fields that most events leave out. */
import fc from 'fast-check';
import type { ApprovalRequest, Context } from '#contract/approval.ts';
import type { Grant } from '#contract/permission.ts';
import type { Payload, RunIds } from '#core/store/log/recorder.ts';
import { idOf, queue, type Recording, requestUsage, start, startOf, usageOf } from '../../support/recording.ts';
import { envelopeOf } from '../../support/envelope.ts';

/** An event, or a few that belong together. `isTrue` and `text` fill their fields. */
export interface Extra {
  kind: keyof typeof RECORDERS;
  text: string;
  isTrue: boolean;
}

/** The place of an extra in the history. */
interface ExtraPlace {
  recording: Recording;
  /** The lead. */
  who: RunIds;
  /** First of ten ids that nothing else uses. */
  id: number;
}

type RecordExtra = (place: ExtraPlace, extra: Omit<Extra, 'kind'>) => void;

const elsewhere = { conversationId: idOf(900), workflowId: idOf(901), runId: idOf(902) };

export type StartFields = Partial<Extract<Payload, { type: 'workflow-start' }>>;

/** Fields of the start of a workflow that most starts leave out. */
export const startFields = fc.record(
  {
    budget: fc.constant({ tokens: 9000, costUsd: 2 }),
    images: fc.constant([{ mediaType: 'image/png' as const, bytes: 9, width: 1, height: 1, sha256: 'a'.repeat(64) }]),
    chosen: fc.constant({ model: 'claude-opus-4-5' }),
    sentAs: fc.constant(idOf(910)),
    copiedFrom: fc.constant({ ...elsewhere, waitedMs: 5, workedMs: 6 }),
    from: fc.constant({ ...elsewhere, entry: 3 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<StartFields>;

const RECORDERS = {
  plan: ({ recording, who }, { text }) =>
    recording.record(who, { type: 'plan-change', items: [{ content: text, status: 'pending', priority: 'low' }] }),
  note: ({ recording, who }, { text, isTrue }) =>
    recording.record(who, {
      type: 'memory-change',
      scope: 'lead',
      folder: '/home/ada/parser',
      name: 'runner',
      text: isTrue ? text : null,
    }),
  grant: ({ recording, who, id }, { isTrue }) => recording.record(who, grantChange(who, idOf(id), isTrue)),
  limit: ({ recording, who }, { isTrue }) =>
    recording.record(who, { type: 'limit-change', of: isTrue ? 'run' : 'workflow', limits: { tokens: 50_000 } }),
  word: ({ recording, who, id }, { text }) => recording.record(who, { type: 'run-say', wordId: idOf(id), text }),
  notice: ({ recording, who }, { text }) => recording.record(who, { type: 'notice', level: 'warning', text }),
  compaction: ({ recording, who }, { text, isTrue }) => {
    const sizes = { tokensBefore: 90_000, tokensAfter: 12_000 };
    recording.compaction(who, { text, upTo: 1, prior: [], priorRuns: [], kept: '', auto: isTrue, ...sizes });
  },
  undo: ({ recording, who, id }, { isTrue }) => {
    const toolCallId = `write_${id}`;
    const files = isTrue ? { also: ['b.md'] } : {};
    recording.record(who, { type: 'tool-start', toolCallId, name: 'write_file', input: {} });
    result(recording, who, toolCallId, { undoable: true, path: 'a.md', ...files });
    for (const undone of [true, false])
      recording.record(who, { type: 'change-undo', toolCallId, path: 'a.md', undone, ...files });
    if (isTrue) recording.record(who, { type: 'change-undo', toolCallId, path: 'a.md', part: true, undone: true });
  },
  read: ({ recording, who, id }) => result(recording, who, `read_${id}`, { path: 'notes/a.md' }),
  refused: ({ recording, who, id }) => result(recording, who, `refused_${id}`, { refused: true }, 'error'),
  question: ({ recording, who, id }, { text, isTrue }) => {
    const approval = questionFrom(recording, who, idOf(id));
    recording.record(who, { type: 'approval-request', approval });
    const exchange = (n: number, context: Context) => {
      recording.record(who, { type: 'context-request', approvalId: approval.id, n, context });
      const answer = isTrue ? text : null;
      const end = { ...context, answer, error: isTrue ? null : text };
      recording.record(who, { type: 'context-end', approvalId: approval.id, n, context: end });
    };
    for (const n of [0, 1])
      exchange(n, { id: idOf(id + n + 1), question: text, answer: null, error: null, at: recording.at });
    if (!isTrue) return;
    const decision = { item: 0, outcome: 'selected' as const, optionId: 'allow', allowed: true };
    const by = { decidedBy: 'person' as const, ruleId: null, reason: null, hashBefore: 'h', hashAfter: 'h' };
    recording.record(who, {
      type: 'approval-decide',
      approvalId: approval.id,
      decision: { ...decision, ...by, at: recording.at },
    });
  },
  coagent: ({ recording, who, id }, { text, isTrue }) => {
    const its = { ...who, runId: idOf(id), parentRunId: who.runId, agent: 'judge' };
    const way = { runId: its.runId, round: 1, rounds: 3, answer: 0 };
    recording.handoff(who, { ...way, from: who.agent, to: 'judge', prompt: text });
    start(recording, its, queue(recording, its, { prompt: text, title: 't', kind: 'coagent', place: 1 }));
    end(recording, its, { text, entries: 1 });
    const review = { answer: 0, verdict: { passed: isTrue, score: 5, critique: text } };
    recording.handoff(who, {
      ...way,
      from: 'judge',
      to: who.agent,
      prompt: text,
      back: { outcome: 'completed', review },
    });
  },
  stage: ({ recording, who, id }, { text, isTrue }) => {
    const its = { ...who, runId: idOf(id), parentRunId: who.runId, agent: 'stage' };
    const envelope = queue(recording, its, { prompt: text, title: 't', kind: 'chain', place: 2 });
    // The person changed the envelope before it started.
    start(recording, its, isTrue ? { ...envelope, model: 'claude-opus-4-5', prompt: `${text}!` } : envelope);
    end(recording, its, { text, reviews: [{ answer: 0, verdict: null }], entries: 1 });
  },
  waiting: ({ recording, who, id }, { text, isTrue }) => {
    const its = { ...who, runId: idOf(id), parentRunId: who.runId, agent: 'writer' };
    const envelope = queue(recording, its, { prompt: text, title: 't', kind: 'spawn', toolCallId: 'call' });
    if (!isTrue) return end(recording, its, { text: '', outcome: 'cancelled', queueDepth: 3 });
    const hash = { envelope, envelopeHash: 'hash' };
    recording.record(its, { type: 'run-start', attempt: 1, ...hash, queuedMs: 9, queueDepth: 2 });
    const usage = usageOf({ estimatedOutputTokens: 5 });
    end(recording, its, { text, usage, worked: { runMs: 12, workflowMs: 40 } });
  },
  copied: ({ recording, who, id }, { text }) => {
    const its = { ...who, runId: idOf(id), parentRunId: who.runId, agent: 'writer' };
    const copiedFrom = elsewhere;
    const envelope = envelopeOf('writer', text, { provider: 'demo' });
    const run = { kind: 'spawn', depth: 1, name: 'writer', title: 't', task: text, toolCallId: null, item: 0 } as const;
    const again = { ...elsewhere, envelopeHash: 'hash', as: 'delegate' as const };
    const about = { parentChain: ['user', 'lead'], traceId: 'trace', envelope, envelopeHash: 'hash' };
    recording.record(its, { type: 'run-queue', ...run, ...about, again, copiedFrom });
    recording.record(its, { type: 'run-start', attempt: 1, envelope, envelopeHash: 'hash', queuedMs: 0, copiedFrom });
    end(recording, its, { text, copiedFrom });
  },
  request: ({ recording, who }, { text, isTrue }) => {
    const failed = { error: { code: 'overloaded', message: text }, inputEstimated: true, reported: false } as const;
    const request = requestUsage(recording, {
      ...(isTrue ? failed : { webSearches: 2 }),
      ...(isTrue ? { purpose: 'review' } : {}),
    });
    recording.record(who, { type: 'usage', request, worked: { runMs: 70, workflowMs: 80 } });
  },
  broken: ({ recording, who, id }, { text, isTrue }) => {
    const request = startOf(requestUsage(recording, {}));
    const part = {
      n: recording.entries(who),
      turn: 3,
      responseId: null,
      part: 0,
      value: { type: 'text', text },
    } as const;
    const error = { code: 'overloaded', message: text } as const;
    recording.record(who, { type: 'turn-start', turn: 3, model: 'any', ...(isTrue && { atATime: 2 }) });
    recording.record(who, { type: 'request-start', turn: 3, request, ...(isTrue && { purpose: 'review' }) });
    recording.record(who, { type: 'message-start', messageId: idOf(id), turn: 3, request });
    recording.record(who, { type: 'message-part', messageId: idOf(id), ...part });
    recording.record(who, { type: 'retry', turn: 3, attempt: 1, delayMs: 5, error });
  },
  fork: ({ recording, who, id }, { isTrue }) => {
    const place = isTrue ? { step: { runId: who.runId, entry: 1 } } : { upTo: 1 };
    recording.record(who, { type: 'workflow-fork', to: idOf(id), end: isTrue ? 'before' : 'after', ...place });
  },
} satisfies Record<string, RecordExtra>;

/** Kinds that can follow the end of a workflow. */
const LATE_KINDS = ['note', 'grant', 'notice', 'compaction', 'fork'] as const;

const anyExtra = (kinds: readonly Extra['kind'][]): fc.Arbitrary<Extra> =>
  fc.record({ kind: fc.constantFrom(...kinds), text: fc.string({ maxLength: 9 }), isTrue: fc.boolean() });

const KINDS = Object.keys(RECORDERS) as Extra['kind'][];

/** One extra of each kind and form. */
export const everyExtra = KINDS.flatMap((kind): Extra[] => [
  { kind, text: 'yes', isTrue: true },
  { kind, text: 'no', isTrue: false },
]);

export const extras = fc.array(anyExtra(KINDS), { maxLength: 8 });
export const lateExtras = fc.array(anyExtra(LATE_KINDS), { maxLength: 3 });

export function recordExtra(place: ExtraPlace, { kind, ...extra }: Extra): void {
  const record: RecordExtra = RECORDERS[kind];
  record(place, extra);
}

function result(
  recording: Recording,
  who: RunIds,
  toolCallId: string,
  metadata: Record<string, unknown>,
  status: 'completed' | 'error' = 'completed',
): void {
  recording.result(who, { toolCallId, name: 'any_tool', status, output: 'Why', durationMs: 3, metadata });
}

function end(recording: Recording, who: RunIds, fields: Partial<Extract<Payload, { type: 'run-end' }>>): void {
  const usual = { outcome: 'completed', text: '', error: null, durationMs: 7, usage: usageOf() } as const;
  recording.record(who, { ...usual, ...fields, type: 'run-end' });
}

function grantChange(who: RunIds, id: string, isGiven: boolean): Payload {
  const at = '2026-03-01T12:00:01.100Z';
  const grant: Grant = {
    ...who,
    id,
    tool: 'mcp__notes__write',
    server: 'config',
    pattern: 'docs/*.md',
    folder: '/home/ada/parser',
    scope: 'project',
    parentRunId: isGiven ? null : idOf(3),
    askedBy: who.agent,
    approvalId: idOf(41),
    givenAt: at,
    expiresAt: at,
    maxCalls: 3,
    calls: isGiven ? 0 : 1,
    revokedAt: isGiven ? null : at,
    signature: 'signature',
  };
  return { type: 'grant-change', change: isGiven ? 'given' : 'revoked', grant };
}

function questionFrom(recording: Recording, { parentRunId: _, ...asking }: RunIds, id: string): ApprovalRequest {
  const words = { title: 'Write a.md?', description: '', chain: ['user', asking.agent], options: [] };
  return {
    id,
    ...asking,
    ...words,
    toolCallId: 'write',
    subject: { kind: 'tool', tool: 'write_file', input: {}, folder: '/home/ada/parser', preview: null, hash: 'h' },
    risk: 'low',
    reversible: true,
    remainingMs: 9000,
    at: recording.at,
  };
}
