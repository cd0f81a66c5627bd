/** Conversations with finished workflows, as the events of the engine leave them in a store. */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableEvent } from '#contract/event.ts';
import type { Part } from '#contract/message.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { ConversationRow } from '#contract/view.ts';
import { newId } from '#core/base/ids.ts';
import type { RunIds } from '#core/store/log/recorder.ts';
import type { Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import { queue, Recording, requestUsage, start, usageOf } from '../../support/recording.ts';
import { conversationRow, schemaDir } from './support.ts';
import { eventItems } from '../../support/commit-items.ts';

export interface Agent {
  agent: string;
  model?: string;
  kind?: 'spawn' | 'coagent';
  outcome?: Outcome;
  /** Names of its calls. */
  tools?: readonly string[];
  /** What its calls return. */
  output?: string;
  text?: string;
  /** Of its answer, where that is more than its text. */
  parts?: Part[];
  nanoUsd?: number;
  tokens?: number;
  durationMs?: number;
}
export interface Finished {
  prompt?: string;
  lead?: Partial<Agent>;
  children?: readonly Agent[];
  durationMs?: number;
  /** Null: it still runs. */
  outcome?: Outcome | null;
}

/** A conversation whose workflows are stored one after the other; returns their ids. */
export class Conversation {
  readonly row: ConversationRow;
  readonly recording = new Recording();
  readonly #store: Store;
  #stored = 0;

  constructor(store: Store, rest: Partial<ConversationRow> = {}) {
    this.#store = store;
    this.row = conversationRow(rest);
  }

  async create(): Promise<this> {
    await this.#store.commit([{ table: 'conversation', key: this.row.id, row: { ...this.row } }]);
    return this;
  }

  async add(plan: Finished = {}): Promise<string> {
    return (await this.addAll([plan]))[0]!;
  }

  /** Stored together, as if all of it had happened now. */
  async addAll(plans: readonly Finished[]): Promise<string[]> {
    const workflowIds = plans.map((plan) => this.#record(plan));
    await this.store();
    return workflowIds;
  }

  /** What was recorded since the last time, as if it had happened now: ids tell the same time. */
  async store(): Promise<void> {
    const at = new Date().toISOString();
    const events = this.recording.durable.slice(this.#stored).map((event) => {
      const entry = 'entry' in event ? { entry: { ...event.entry, at } } : {};
      return { ...event, ...entry, at } as DurableEvent;
    });
    await this.#store.commit(eventItems(events));
    this.#stored += events.length;
  }

  #record({ prompt = 'Do it', lead = {}, children = [], durationMs = 10, outcome = 'completed' }: Finished): string {
    const [workflowId, runId] = [newId(), newId()];
    const who: RunIds = {
      conversationId: this.row.id,
      workflowId,
      runId,
      parentRunId: null,
      agent: lead.agent ?? 'lead',
    };
    this.recording.record(who, { type: 'workflow-start', prompt, approve: 'ask', attempt: 1 });
    this.#begin(who, { agent: 'lead', ...lead }, prompt);
    for (const child of children) {
      const its = { ...who, runId: newId(), parentRunId: runId, agent: child.agent };
      this.#begin(its, child, `Task of ${child.agent}`);
      this.#end(its, child, child.durationMs ?? 5);
    }
    if (outcome === null) return workflowId;
    this.#end(who, { agent: 'lead', outcome, ...lead }, durationMs);
    const { outcome: own = outcome, text = 'Done' } = lead;
    this.recording.record(who, {
      type: 'workflow-end',
      outcome: own,
      text,
      error: null,
      durationMs,
      usage: usageOf(),
      subAgents: [],
    });
    return workflowId;
  }

  #begin(who: RunIds, { model = 'sonnet', kind = 'spawn', outcome }: Agent, prompt: string): void {
    const isLead = who.parentRunId === null;
    const envelope = queue(this.recording, who, {
      prompt,
      title: prompt,
      kind: isLead ? 'lead' : kind,
      toolCallId: isLead ? null : 'call',
      changes: { model },
    });
    if (outcome !== 'rejected') start(this.recording, who, envelope);
  }

  #end(who: RunIds, agent: Agent, durationMs: number): void {
    const { outcome = 'completed', tools = [], output = 'ok', text = 'Done', nanoUsd = 0, tokens = 0 } = agent;
    if (outcome !== 'rejected') {
      tools.forEach((name, index) => {
        const toolCallId = `c${index}`;
        this.recording.record(who, { type: 'tool-start', toolCallId, name, input: {} });
        const result = {
          toolCallId,
          name,
          status: 'completed',
          output,
          durationMs: 1,
          metadata: {},
        } as const;
        this.recording.result(who, result);
      });
      const message = {
        messageId: newId(),
        responseId: 'r',
        parts: agent.parts ?? [{ type: 'text' as const, text }],
        stopReason: 'end_turn',
        interrupted: false,
      } as const;
      this.recording.response(who, message);
      const none = { inputTokens: tokens, cacheReadTokens: 0, cacheWrite5mTokens: 0, outputTokens: 0 };
      const request = requestUsage(this.recording, { requestId: newId(), nanoUsd, ...none });
      this.recording.record(who, { type: 'usage', request });
    }
    const end = { outcome, text, error: null, durationMs, usage: usageOf() };
    this.recording.record(who, { type: 'run-end', ...end });
  }
}

/** Makes the store `base/store` with two conversations and three workflows; returns its folder. */
export async function makeFilledStore(base: string): Promise<string> {
  const made = join(base, 'made');
  const store = await openStore({ url: `rocksdb://${join(made, 'store')}`, schemaDir });
  const reviewer: Agent = {
    agent: 'code-reviewer',
    tools: ['grep'],
    output: 'x',
    text: 'Two naive mistakes',
    tokens: 7,
  };
  const review = await new Conversation(store).create();
  await review.addAll([
    { prompt: 'Review the parser', children: [reviewer] },
    { prompt: 'Once more', outcome: 'error' },
  ]);
  await (await new Conversation(store).create()).add({ prompt: 'Look at everything', lead: { tools: ['glob'] } });
  await store.settled();
  await store.close();
  // The engine keeps the lock of a folder until the process ends.
  await cp(made, base, { recursive: true });
  await rm(made, { recursive: true });
  return join(base, 'store');
}
