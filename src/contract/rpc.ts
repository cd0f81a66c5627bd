/** The one table of methods and of subscriptions: every host serves it, every client is typed from it. */
import { z } from 'zod';
import { AgentName, AgentSummary, ApprovePolicy } from './agent.ts';
import { Answer, Decision } from './approval.ts';
import type { AgentEvent } from './event.ts';
import { Id } from './ids.ts';
import { MAX_PROMPT_CHARS } from './limits.ts';
import { Entry } from './message.ts';
import { Outcome } from './outcome.ts';
import {
  type Attention,
  ConversationRow,
  RunRow,
  Snapshot,
  StopReceipt,
  WorkflowDetail,
  WorkflowRow,
} from './view.ts';

const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output });
const nothing = z.strictObject({});
const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), next: z.string().nullable() });
/** `before` is the `next` of the page before; pages are newest first. */
const paging = { before: z.string().max(256).optional(), limit: z.int().min(1).max(200).default(50) };

export const AppState = z.object({
  version: z.string(),
  /** Folder for new conversations. */
  folder: z.string(),
  provider: z.object({
    ready: z.boolean(),
    keySource: z.enum(['environment', 'file', 'none']),
    baseUrl: z.string().nullable(),
    baseUrlSource: z.enum(['environment', 'file', 'default']),
    models: z.array(z.object({ alias: z.string(), id: z.string() })),
    defaultModel: z.string(),
  }),
  /** `baseline`: every agent has it; `primaryOnly`: no sub-agent can have it. */
  tools: z.array(
    z.object({ name: z.string(), description: z.string(), baseline: z.boolean(), primaryOnly: z.boolean() }),
  ),
  maxSubAgents: z.int(),
});
export type AppState = z.infer<typeof AppState>;

export const methods = {
  'app.state': method(nothing, AppState),
  'provider.set': method(
    z.strictObject({
      apiKey: z.string().max(1000).optional(),
      baseUrl: z.union([z.url({ protocol: /^https?$/ }), z.literal('')]).optional(),
    }),
    AppState,
  ),
  'agents.list': method(nothing, z.array(AgentSummary)),
  'conversation.list': method(z.strictObject(paging), pageOf(ConversationRow)),
  'conversation.create': method(
    z.strictObject({ folder: z.string().min(1).max(4096).optional(), agent: AgentName.optional() }),
    ConversationRow,
  ),
  'conversation.snapshot': method(z.strictObject({ conversationId: Id }), Snapshot),
  /** Workflows before the given one, with their runs and the leads' entries; `seq` as of now. */
  'conversation.earlier': method(z.strictObject({ conversationId: Id, before: Id }), Snapshot),
  'message.send': method(
    z.strictObject({
      conversationId: Id,
      text: z
        .string()
        .max(MAX_PROMPT_CHARS, 'is longer than a message may be')
        .refine((text) => text.trim() !== '', 'is empty: write what the lead should do'),
      approve: ApprovePolicy.default('ask'),
    }),
    z.object({ workflowId: Id, runId: Id, queued: z.boolean() }),
  ),
  'workflow.list': method(
    z.strictObject({ ...paging, outcome: Outcome.optional(), agent: AgentName.optional() }),
    pageOf(WorkflowRow),
  ),
  'workflow.get': method(z.strictObject({ workflowId: Id }), WorkflowDetail),
  'workflow.stop': method(z.strictObject({ workflowId: Id }), StopReceipt),
  /** `approve` changes who answers from now on; left out, it stays as it was. */
  'workflow.resume': method(z.strictObject({ workflowId: Id, approve: ApprovePolicy.optional() }), nothing),
  'run.get': method(z.strictObject({ runId: Id }), RunRow),
  'run.entries': method(z.strictObject({ runId: Id }), z.array(Entry)),
  'run.stop': method(z.strictObject({ runId: Id }), StopReceipt),
  'approval.decide': method(
    z.strictObject({ approvalId: Id, item: z.int().nonnegative().default(0), answer: Answer }),
    Decision,
  ),
} as const;

export type Methods = typeof methods;
export type MethodName = keyof Methods;
export type Input<M extends MethodName> = z.input<Methods[M]['input']>;
export type Parsed<M extends MethodName> = z.output<Methods[M]['input']>;
export type Output<M extends MethodName> = z.output<Methods[M]['output']>;

/** Streams: a conversation's events from now on, and the state of everything that wants attention. */
export const topics = {
  conversation: z.strictObject({ conversationId: Id }),
  /** `canAnswer`: whether a person at this client could answer questions. */
  attention: z.strictObject({ canAnswer: z.boolean() }),
} as const;
export type TopicName = keyof typeof topics;
export type TopicInput<T extends TopicName> = z.input<(typeof topics)[T]>;
export interface TopicEvent {
  conversation: AgentEvent;
  attention: Attention;
}

/** What every client of a runtime holds, whether the runtime is in this process or behind a bridge. */
export interface Client {
  /** Rejects with an Error that carries `code` of `ErrorInfo`. */
  request<M extends MethodName>(method: M, input: Input<M>): Promise<Output<M>>;
  /** Resolves once the subscription stands; the returned function ends it. */
  subscribe<T extends TopicName>(
    topic: T,
    input: TopicInput<T>,
    listener: (event: TopicEvent[T]) => void,
  ): Promise<() => void>;
}

/** Frames of the WebSocket (and later of other bridges). */
export const ClientFrame = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('request'), id: z.int(), method: z.string(), input: z.unknown() }),
  z.strictObject({ kind: z.literal('subscribe'), id: z.int(), topic: z.string(), input: z.unknown() }),
  z.strictObject({ kind: z.literal('unsubscribe'), id: z.int() }),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;
export type ServerFrame =
  | {
      kind: 'reply';
      id: number;
      reply: { ok: true; value: unknown } | { ok: false; error: { code: string; message: string } };
    }
  | { kind: 'events'; id: number; events: unknown[] };
