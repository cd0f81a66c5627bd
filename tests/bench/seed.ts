/** Histories as the engine would have written them, straight into the store. */
import type { DurableEvent, EventDraft } from '#contract/event.ts';
import type { Usage } from '#contract/outcome.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { newId } from '#core/base/ids.ts';
import type { CommitItem, Store } from '#core/store/store.ts';
import { envelopeOf } from '../support/envelope.ts';

/** An event without what every event of a run carries. */
type Payload = EventDraft extends infer E
  ? E extends EventDraft
    ? Omit<E, 'at' | 'conversationId' | 'workflowId' | 'runId' | 'parentRunId' | 'agent'>
    : never
  : never;
type Ids = Pick<DurableEvent, 'conversationId' | 'workflowId' | 'runId' | 'parentRunId' | 'agent'>;

const WORKFLOWS_OF_CONVERSATION = 20;
const EVENTS_OF_COMMIT = 1000;
/** Messages of a long conversation until its context is full, and as many of them as a compaction repeats. */
const [MESSAGES_OF_COMPACTION, KEPT_MESSAGES] = [600, 600];
const NOTES = 'The person asks what the parts of the program do. '.repeat(100);
const NO_USAGE: Usage = {
  inputTokens: 100,
  outputTokens: 20,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: null,
};

export class Seeder {
  readonly #store: Store;
  readonly #folder: string;
  #seq = 0;
  #conversationId = '';
  #items: CommitItem[] = [];

  constructor(store: Store, folder: string) {
    this.#store = store;
    this.#folder = folder;
  }

  /** So many finished workflows, each with its lead's run, question and answer; resolves with the last conversation. */
  async workflows(count: number, ofConversation = WORKFLOWS_OF_CONVERSATION): Promise<string> {
    for (let index = 0; index < count; index += 1) {
      if (index % ofConversation === 0) this.#converse();
      const lead = this.#begin(`Question ${index}: what does this part do?`);
      this.#says(lead, 0, `Answer ${index}: it does what it should.`);
      await this.#end(lead);
    }
    await this.#flush();
    return this.#conversationId;
  }

  /** A conversation of so many messages, with a compaction as often as one is usual; resolves with its id. */
  async messages(count: number, ask: (index: number) => string, answer: string): Promise<string> {
    this.#converse();
    const prior: { runs: string[]; said: string[] } = { runs: [], said: [] };
    for (let index = 0; index < count; index += 1) {
      const prompt = ask(index);
      const lead = this.#begin(prompt);
      const at = new Date().toISOString();
      this.#event(lead, { type: 'message-end', entry: { kind: 'user', source: 'person', text: prompt, n: 0, at } });
      this.#says(lead, 1, answer);
      if (index % MESSAGES_OF_COMPACTION === MESSAGES_OF_COMPACTION - 1) this.#compacts(lead, prior);
      prior.runs.push(lead.runId);
      prior.said.push(prompt);
      await this.#end(lead);
    }
    await this.#flush();
    return this.#conversationId;
  }

  #compacts(run: Ids, { runs, said }: { runs: readonly string[]; said: readonly string[] }): void {
    const at = new Date().toISOString();
    const entry = {
      kind: 'compaction' as const,
      n: 2,
      at,
      text: NOTES,
      upTo: 1,
      auto: true,
      prior: runs.map(() => 2),
      priorRuns: [...runs],
      kept: said.slice(-KEPT_MESSAGES).join('\n'),
      tokensBefore: 160_000,
      tokensAfter: 60_000,
    };
    this.#event(run, { type: 'compaction', entry });
  }

  /** One workflow of about so many events: a lead and three sub-agents who call tools over and over. */
  async long(
    events: number,
    prompt = 'Look at everything',
  ): Promise<{ workflowId: string; runId: string; events: number }> {
    this.#converse();
    const lead = this.#begin(prompt);
    const children = ['alpha', 'beta', 'gamma'].map((agent) => {
      const child = { ...lead, runId: newId(), parentRunId: lead.runId, agent };
      this.#starts(child, `Inspect part ${agent}`, 1);
      return child;
    });
    const rounds = Math.max(1, Math.floor(events / 4 / 7));
    for (let round = 0; round < rounds; round += 1) {
      for (const run of [lead, ...children]) this.#round(run, round);
      if (this.#items.length >= EVENTS_OF_COMMIT) await this.#flush();
    }
    for (const child of children) this.#event(child, { type: 'run-end', ...ended('The part is in order.') });
    await this.#end(lead);
    await this.#flush();
    return { workflowId: lead.workflowId, runId: lead.runId, events: this.#seq };
  }

  #converse(): void {
    this.#conversationId = newId();
    this.#seq = 0;
    const at = new Date().toISOString();
    const row = {
      id: this.#conversationId,
      title: '',
      folder: this.#folder,
      agent: 'lead',
      createdAt: at,
      updatedAt: at,
      lastSeq: 0,
      usage: ZERO_TALLY,
    };
    this.#items.push({ table: 'conversation', key: row.id, row });
  }

  #begin(prompt: string): Ids {
    const lead = {
      conversationId: this.#conversationId,
      workflowId: newId(),
      runId: newId(),
      parentRunId: null,
      agent: 'lead',
    };
    this.#event(lead, { type: 'workflow-start', prompt, approve: 'ask', attempt: 1 });
    this.#starts(lead, prompt, 0);
    return lead;
  }

  #starts(run: Ids, prompt: string, depth: number): void {
    const { agent } = run;
    const envelope = envelopeOf(agent, prompt, { folder: this.#folder });
    const envelopeHash = canonicalHash(envelope);
    this.#event(run, {
      type: 'run-queue',
      kind: depth === 0 ? 'lead' : 'spawn',
      depth,
      name: agent,
      title: prompt,
      task: prompt,
      toolCallId: depth === 0 ? null : `call-${agent}`,
      item: 0,
      parentChain: depth === 0 ? ['user', agent] : ['user', 'lead', agent],
      traceId: run.runId.replaceAll('-', ''),
      envelope,
      envelopeHash,
    });
    this.#event(run, { type: 'run-start', attempt: 1, envelope, envelopeHash, queuedMs: 1 });
  }

  /** Seven events: a turn with one call. */
  #round(run: Ids, round: number): void {
    const [messageId, toolCallId, at] = [newId(), `call-${round}`, new Date().toISOString()];
    const input = { path: `src/part-${round}.ts` };
    this.#event(run, { type: 'turn-start', turn: round, model: 'claude-sonnet-5-5' });
    const request = requestOf(round, at);
    this.#event(run, { type: 'message-start', messageId, turn: round, request });
    this.#event(run, { type: 'usage', request });
    const parts = [
      { type: 'text' as const, text: `Step ${round}: I read the next file.` },
      { type: 'tool_use' as const, id: toolCallId, name: 'read_file', input },
    ];
    this.#event(run, {
      type: 'message-end',
      entry: {
        kind: 'assistant',
        n: 2 * round,
        at,
        messageId,
        responseId: `msg_${round}`,
        parts,
        stopReason: 'tool_use',
        interrupted: false,
      },
    });
    this.#event(run, { type: 'tool-start', toolCallId, name: 'read_file', input });
    const output = `export const part${round} = ${round};\n`.repeat(10);
    this.#event(run, {
      type: 'tool-end',
      entry: {
        kind: 'tool',
        n: 2 * round + 1,
        at,
        toolCallId,
        name: 'read_file',
        status: 'completed',
        output,
        durationMs: 1,
        metadata: {},
      },
    });
    this.#event(run, { type: 'turn-end', turn: round, stopReason: 'tool_use' });
  }

  #says(run: Ids, n: number, text: string): void {
    const at = new Date().toISOString();
    this.#event(run, {
      type: 'message-end',
      entry: {
        kind: 'assistant',
        n,
        at,
        messageId: newId(),
        responseId: 'msg',
        parts: [{ type: 'text', text }],
        stopReason: 'end_turn',
        interrupted: false,
      },
    });
  }

  async #end(lead: Ids): Promise<void> {
    const end = ended('It is in order.');
    this.#event(lead, { type: 'run-end', ...end });
    this.#event(lead, { type: 'workflow-end', ...end, subAgents: [] });
    if (this.#items.length >= EVENTS_OF_COMMIT) await this.#flush();
  }

  #event(ids: Ids, payload: Payload): void {
    this.#seq += 1;
    const event: DurableEvent = { ...payload, at: new Date().toISOString(), ...ids, seq: this.#seq };
    this.#items.push({ event });
  }

  async #flush(): Promise<void> {
    await this.#store.commit(this.#items.splice(0));
  }
}

function ended(text: string) {
  return { outcome: 'completed' as const, text, error: null, durationMs: 1000, usage: NO_USAGE };
}

function requestOf(turn: number, at: string): Extract<DurableEvent, { type: 'usage' }>['request'] {
  return {
    requestId: newId(),
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    turn,
    attempt: 1,
    inputTokens: 100,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: 20,
    thinkingTokens: 0,
    reported: true,
    stopReason: 'tool_use',
    error: null,
    startedAt: at,
    firstTokenMs: 1,
    durationMs: 2,
    priceVersion: null,
    nanoUsd: null,
  };
}
