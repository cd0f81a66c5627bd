/** Hand-made event sequences: whole workflows, as the engine would record them. */
import type { Envelope, RunKind } from '#contract/agent.ts';
import type { ApprovalRequest, Decision } from '#contract/approval.ts';
import type { AgentEvent, DurableEvent, EventDraft, HintEvent, RequestStart, RequestUsage } from '#contract/event.ts';
import type { HandoffEntry, UserEntry } from '#contract/message.ts';
import type { Outcome } from '#contract/outcome.ts';
import { envelopeOf } from '../../support/envelope.ts';

type Payload<E> = E extends { type: string }
  ? Omit<E, 'at' | 'conversationId' | 'workflowId' | 'runId' | 'parentRunId' | 'agent'>
  : never;
type HintPayload = Payload<HintEvent>;
export type Draft = Payload<EventDraft>;

export const CONVERSATION = id(1);
const START = Date.parse('2026-01-02T03:04:05.000Z');
const USAGE = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2, costUsd: 0.01 };

export function id(n: number): string {
  return `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

export function envelope(agent: string, prompt: string): Envelope {
  return envelopeOf(agent, prompt, { tools: ['read_file', 'write_file'], folder: '/tmp/project' });
}

interface Call {
  id: string;
  name: string;
  input: unknown;
}

/** One agent's events within a story. */
export class Voice {
  readonly runId: string;
  readonly agent: string;
  readonly parentRunId: string | null;
  entries = 0;
  readonly #story: Story;
  readonly #workflowId: string;

  constructor(story: Story, workflowId: string, runId: string, agent: string, parentRunId: string | null) {
    this.#story = story;
    this.#workflowId = workflowId;
    this.runId = runId;
    this.agent = agent;
    this.parentRunId = parentRunId;
  }

  say(draft: Draft): DurableEvent {
    return this.#story.record({ ...this.#envelope(), ...draft });
  }

  hint(draft: HintPayload): void {
    this.#story.events.push({ ...this.#envelope(), ...draft });
  }

  queue(
    kind: RunKind,
    prompt: string,
    toolCallId: string | null = null,
    item = 0,
    { place, ...changes }: Partial<Envelope> & { place?: number } = {},
  ): void {
    this.say({
      type: 'run-queue',
      kind,
      ...(place && { place }),
      depth: this.parentRunId === null ? 0 : 1,
      name: this.agent,
      title: `Title of ${this.agent}`,
      task: prompt,
      toolCallId,
      item,
      parentChain: ['lead'],
      traceId: this.runId,
      envelope: { ...envelope(this.agent, prompt), ...changes },
      envelopeHash: 'hash',
    });
  }

  start(prompt: string, attempt = 1, changes: Partial<Envelope> = {}): void {
    this.say({
      type: 'run-start',
      attempt,
      envelope: { ...envelope(this.agent, prompt), ...changes },
      envelopeHash: 'hash',
      queuedMs: 1,
    });
  }

  user(source: UserEntry['source'], text: string): void {
    this.say({
      type: 'message-end',
      entry: { kind: 'user', n: this.entries++, at: this.#story.now, source, text },
    });
  }

  /**
   * Streams a text in pieces, with a call after it where one is given, and ends the message. `early`: what happens
   * because of the call before the message ends.
   */
  answer(text: string, call?: Call, early?: () => void): void {
    const messageId = this.#story.newId();
    this.say({ type: 'message-start', messageId, turn: 1, request: this.#story.request() });
    for (let offset = 0; offset < text.length; offset += 7) {
      this.hint({ type: 'message-delta', messageId, part: 0, offset, text: text.slice(offset, offset + 7) });
    }
    if (call) {
      const json = JSON.stringify(call.input);
      const meta = { toolCallId: call.id, name: call.name };
      this.hint({ type: 'tool-delta', messageId, part: 1, offset: 0, text: json.slice(0, 5), ...meta });
      this.hint({ type: 'tool-delta', messageId, part: 1, offset: 5, text: json.slice(5), ...meta });
    }
    const parts = [{ type: 'text' as const, text }, ...(call ? [{ type: 'tool_use' as const, ...call }] : [])];
    const n = this.entries++;
    const at = this.#story.now;
    if (early) {
      const message = { messageId, n, turn: 1, responseId: 'msg_1' };
      parts.forEach((value, part) => this.say({ type: 'message-part', ...message, part, value }));
      early();
      const words = 'And that is all.';
      this.hint({ type: 'message-delta', messageId, part: 2, offset: 0, text: words });
      parts.push({ type: 'text', text: words });
    }
    this.say({
      type: 'message-end',
      entry: {
        kind: 'assistant',
        n,
        at,
        messageId,
        responseId: 'msg_1',
        parts,
        stopReason: call ? 'tool_use' : 'end_turn',
        interrupted: false,
      },
    });
    this.say({ type: 'usage', request: this.#request() });
  }

  toolStart(toolCallId: string, name: string): void {
    this.say({ type: 'tool-start', toolCallId, name, input: {} });
    this.printed(toolCallId, 'first line');
    this.printed(toolCallId, 'second line');
  }

  printed(toolCallId: string, tail: string): void {
    this.hint({ type: 'tool-output', toolCallId, tail, bytes: tail.length });
  }

  toolEnd(
    toolCallId: string,
    name: string,
    status: 'completed' | 'error' = 'completed',
    metadata: Record<string, unknown> = {},
    durationMs = 12,
  ): void {
    this.say({
      type: 'tool-end',
      entry: {
        kind: 'tool',
        n: this.entries++,
        at: this.#story.now,
        toolCallId,
        name,
        status,
        output: 'done',
        durationMs,
        metadata,
      },
    });
  }

  ask(toolCallId: string, children: readonly Voice[]): ApprovalRequest {
    const approval: ApprovalRequest = {
      id: this.#story.newId(),
      conversationId: CONVERSATION,
      workflowId: this.#workflowId,
      runId: this.runId,
      toolCallId,
      agent: this.agent,
      chain: ['user', 'lead'],
      title: 'Start?',
      description: '',
      options: [],
      risk: 'medium',
      reversible: true,
      remainingMs: 300_000,
      at: this.#story.now,
      subject: {
        kind: 'envelopes',
        operation: children.length > 1 ? 'parallel' : 'spawn',
        items: children.map(({ runId, agent }) => ({
          runId,
          title: `Title of ${agent}`,
          envelope: envelope(agent, 'Look.'),
          hash: 'hash',
        })),
      },
    };
    this.say({ type: 'approval-request', approval });
    return approval;
  }

  decide(approvalId: string, item: number, allowed: boolean): void {
    const decision: Decision = {
      item,
      outcome: 'selected',
      optionId: allowed ? 'allow' : 'reject',
      allowed,
      decidedBy: 'person',
      ruleId: null,
      reason: null,
      hashBefore: 'hash',
      hashAfter: 'hash',
      at: this.#story.now,
    };
    this.say({ type: 'approval-decide', approvalId, decision });
  }

  handoff(entry: Omit<HandoffEntry, 'kind' | 'n' | 'at'>): void {
    this.say({ type: 'handoff', entry: { kind: 'handoff', n: this.entries++, at: this.#story.now, ...entry } });
  }

  /** A further attempt begins, with its remark. */
  again(prompt: string, attempt: number, code: 'resumed' | 'retried' = 'resumed'): void {
    this.start(prompt, attempt);
    const remark = { kind: 'system', n: this.entries++, at: this.#story.now, code, text: 'Again' } as const;
    this.say({ type: 'message-end', entry: remark });
  }

  end(outcome: Outcome, text = ''): void {
    this.say({ type: 'run-end', outcome, text, error: null, durationMs: 100, usage: USAGE });
  }

  #envelope(): Pick<DurableEvent, 'at' | 'conversationId' | 'workflowId' | 'runId' | 'parentRunId' | 'agent'> {
    const { runId, parentRunId, agent } = this;
    const at = this.#story.now;
    return { at, conversationId: CONVERSATION, workflowId: this.#workflowId, runId, parentRunId, agent };
  }

  #request(): RequestUsage {
    return {
      requestId: this.#story.newId(),
      provider: 'anthropic',
      model: 'claude-sonnet-5-5',
      turn: 1,
      attempt: 1,
      inputTokens: 100,
      cacheReadTokens: 20,
      cacheWrite5mTokens: 4,
      cacheWrite1hTokens: 1,
      outputTokens: 30,
      thinkingTokens: 0,
      reported: true,
      stopReason: 'end_turn',
      error: null,
      startedAt: this.#story.now,
      firstTokenMs: 5,
      durationMs: 50,
      priceVersion: null,
      nanoUsd: this.parentRunId === null ? 1_000_000 : null,
    };
  }
}

/** Events in order, numbered and dated. */
export class Story {
  readonly events: AgentEvent[] = [];
  #seq = 0;
  #lastId = 100;
  #passed = 0;

  get now(): string {
    return new Date(START + this.#passed + this.events.length).toISOString();
  }

  /** Time in which nothing happens, in milliseconds. */
  pass(ms: number): void {
    this.#passed += ms;
  }

  newId(): string {
    return id(++this.#lastId);
  }

  request(): RequestStart {
    const counts = { inputTokens: 10, cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 };
    return { requestId: this.newId(), attempt: 1, ...counts };
  }

  record(draft: EventDraft): DurableEvent {
    const event = { ...draft, seq: ++this.#seq };
    this.events.push(event);
    return event;
  }

  lead(prompt: string): { lead: Voice; workflowId: string } {
    const workflowId = this.newId();
    const lead = new Voice(this, workflowId, this.newId(), 'lead', null);
    lead.say({ type: 'workflow-start', prompt, approve: 'ask', attempt: 1 });
    lead.queue('lead', prompt);
    lead.start(prompt);
    lead.user('person', prompt);
    return { lead, workflowId };
  }

  child(lead: Voice, workflowId: string, agent: string): Voice {
    return new Voice(this, workflowId, this.newId(), agent, lead.runId);
  }

  endWorkflow(lead: Voice, outcome: Outcome, text: string): void {
    lead.end(outcome, text);
    lead.say({
      type: 'workflow-end',
      outcome,
      text,
      error: null,
      durationMs: 200,
      usage: USAGE,
      subAgents: [],
    });
  }
}
