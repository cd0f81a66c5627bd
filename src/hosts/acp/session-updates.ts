/** Events of a conversation as updates, each for the session that it belongs to. */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentEvent, DurableEvent } from '#contract/event.ts';
import { picturesText } from '#contract/messages/pictures-text.ts';
import { isReportedWait } from '#contract/messages/find-provider-wait.ts';
import { titleOf } from '#contract/messages/short-text.ts';
import type { ConversationRow } from '#contract/view.ts';
import { ProjectedRows } from '#domain/projected-rows.ts';
import { callIdOf, chunk, RunUpdates } from './run-updates.ts';
import { SubAgents } from './sub-agents.ts';
import type { Windows } from './windows.ts';

export interface Addressed {
  sessionId: string;
  update: SessionUpdate;
}

/** What the client can show. */
interface Abilities {
  notices: boolean;
  compactions: boolean;
  /** It gives each sub-agent a session of its own. */
  subAgentSessions: boolean;
}

interface Parts extends Abilities {
  /** The row before the first sent event. */
  conversation: ConversationRow;
  /** Whether this client sent the message, and so shows it already. */
  isOwn: (workflowId: string) => boolean;
  windows: Pick<Windows, 'of' | 'look'>;
}

const formatSeconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`;

type Used = Extract<DurableEvent, { type: 'usage' }>;

export class SessionUpdates {
  readonly #parts: Parts;
  readonly #rows = new ProjectedRows(['conversation', 'run']);
  readonly #runs = new Map<string, RunUpdates>();
  readonly #subAgents: SubAgents;
  /** Calls of sub-agents that were asked about, and so stand in the session of the lead too. */
  readonly #asked = new Set<string>();
  /** Runs of sub-agents. */
  readonly #below = new Set<string>();
  /** Hints that come late are of messages that were told whole. */
  readonly #ended = new Set<string>();
  /** What is told now happened before the session was opened: a notice of it is none any more. */
  isPast = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { conversation, subAgentSessions } = parts;
    this.#rows.put({ table: 'conversation', key: conversation.id, row: conversation });
    this.#subAgents = new SubAgents(this.#rows, subAgentSessions);
  }

  of(event: AgentEvent): Addressed[] {
    if ('seq' in event) this.#ended.delete(event.workflowId);
    else if (this.#ended.has(event.workflowId)) return [];
    if ('seq' in event) this.#rows.apply(event);
    const { conversation, subAgentSessions, windows } = this.#parts;
    if (event.type === 'run-start' && !this.isPast) void windows.look();
    if (event.type === 'retry' || event.type === 'request-silent') return this.#reportWait(event);
    const own = this.#run(event.runId)
      .of(event)
      .map((update) => this.#toStep(event.runId, update));
    const stage = this.#getStage(event.runId);
    if (stage) return [...this.#stageStart(event, stage), ...own].map((update) => this.#here(update));
    if (event.parentRunId === null) return [...this.#whole(event), ...own].map((update) => this.#here(update));
    this.#below.add(event.runId);
    const below = [...this.#subAgents.of(event), ...own.filter((update) => this.#isAsked(update))];
    const there = subAgentSessions ? [...this.#task(event), ...own] : [];
    return [
      ...below.map((update) => ({ sessionId: conversation.id, update })),
      ...there.map((update) => ({ sessionId: event.runId, update })),
    ];
  }

  /** Returns the place of a stage that follows a lead; null for any other run. */
  #getStage(runId: string): { place: number; of: number } | null {
    const run = this.#rows.get('run', runId);
    const first = run?.kind === 'chain' ? this.#rows.get('run', run.parentRunId ?? '') : null;
    if (first?.kind !== 'lead') return null;
    const of = first.envelope.stages.length;
    return { place: run?.place ?? of, of };
  }

  /** Changes an answer before the last stage of a chain into a thought. */
  #toStep(runId: string, update: SessionUpdate): SessionUpdate {
    const stage = this.#getStage(runId);
    const isStep = stage ? stage.place < stage.of : this.#isFollowed(runId);
    if (!isStep || update.sessionUpdate !== 'agent_message_chunk') return update;
    return { ...update, sessionUpdate: 'agent_thought_chunk' };
  }

  /** Returns whether stages follow the answer of a lead. */
  #isFollowed(runId: string): boolean {
    const run = this.#rows.get('run', runId);
    return run?.kind === 'lead' && run.envelope.stages.length > 0;
  }

  #stageStart(event: AgentEvent, { place, of }: { place: number; of: number }): SessionUpdate[] {
    if (event.type !== 'run-start') return [];
    const words = `\n${event.agent} (stage ${place} of ${of}):\n`;
    return [chunk('agent_thought_chunk', words, `${event.runId}:stage`)];
  }

  /** Something that concerns the person, in whatever form the client has for it. */
  notice(severity: 'info' | 'warning' | 'error', title: string, description?: string): Addressed {
    const words = description === undefined ? title : `${title}: ${description}`;
    return this.#here(
      this.#parts.notices && !this.isPast
        ? { sessionUpdate: 'notice', severity, title, ...(description === undefined ? {} : { description }) }
        : chunk('agent_thought_chunk', `${words}\n`, 'triad-notice'),
    );
  }

  /** Reports a wait of any run for its provider. */
  #reportWait(event: Extract<AgentEvent, { type: 'retry' | 'request-silent' }>): Addressed[] {
    const { agent } = event;
    if (!isReportedWait(event)) return [];
    if (event.type === 'request-silent')
      return [this.notice('warning', `${agent}: no answer from the provider for ${formatSeconds(event.silentMs)}`)];
    const next = event.delayMs === 0 ? 'trying again' : `next try in ${formatSeconds(event.delayMs)}`;
    return [this.notice('warning', `${agent}: waiting for the provider, ${next}`, event.error.message)];
  }

  /** From now on what becomes of this call of a sub-agent is told here too. */
  asked(runId: string, toolCallId: string): void {
    this.#asked.add(callIdOf(runId, toolCallId));
  }

  /** The call runs in this terminal of the client. */
  terminal({ runId, toolCallId }: { runId: string; toolCallId: string }, terminalId: string): Addressed[] {
    const update = this.#run(runId).terminal(toolCallId, terminalId);
    const isThere = this.#below.has(runId) && this.#parts.subAgentSessions;
    return [this.#here(update), ...(isThere ? [{ sessionId: runId, update }] : [])];
  }

  #here(update: SessionUpdate): Addressed {
    return { sessionId: this.#parts.conversation.id, update };
  }

  #run(runId: string): RunUpdates {
    const known = this.#runs.get(runId) ?? new RunUpdates(runId, this.#parts.conversation.folder);
    this.#runs.set(runId, known);
    return known;
  }

  #isAsked(update: SessionUpdate): boolean {
    return update.sessionUpdate === 'tool_call_update' && this.#asked.has(update.toolCallId);
  }

  /** What its own session begins with. */
  #task(event: AgentEvent): SessionUpdate[] {
    return event.type === 'run-queue' ? [chunk('user_message_chunk', event.task, `${event.runId}:task`)] : [];
  }

  /** What is told of the conversation as a whole, in the lead's events. */
  #whole(event: AgentEvent): SessionUpdate[] {
    switch (event.type) {
      case 'workflow-start':
        return this.#started(event);
      case 'compaction':
        return [this.#compacted(event)];
      case 'compaction-undo':
        return [
          this.notice('info', event.entry.undone ? 'The compaction was taken back' : 'The compaction holds again')
            .update,
        ];
      case 'workflow-end':
        this.#ended.add(event.workflowId);
        return [...this.#endWords(event), { sessionUpdate: 'session_info_update', updatedAt: event.at }];
      case 'usage':
        return this.#used(event);
      case 'notice':
        return [this.notice(event.level, event.text).update];
      default:
        return [];
    }
  }

  #started(event: Extract<DurableEvent, { type: 'workflow-start' }>): SessionUpdate[] {
    if (event.attempt > 1) return [];
    const title: SessionUpdate[] =
      event.seq === 1
        ? [{ sessionUpdate: 'session_info_update', title: titleOf(event.prompt), updatedAt: event.at }]
        : [];
    if (this.#parts.isOwn(event.workflowId)) return title;
    const pictures = picturesText(event.images);
    const said = pictures === null ? event.prompt : `${event.prompt}\n\n[${pictures}]`;
    return [chunk('user_message_chunk', said, event.workflowId), ...title];
  }

  /** An end that says nothing by itself; a turn of this client ends with its own answer. */
  #endWords({ outcome, error, workflowId }: Extract<DurableEvent, { type: 'workflow-end' }>): SessionUpdate[] {
    if (outcome !== 'interrupted') return [];
    const text = `\n[Interrupted: ${error?.message ?? 'the program ended'}. "/resume" goes on from the last finished step.]\n`;
    return [chunk('agent_message_chunk', text, `${workflowId}:end`)];
  }

  #compacted({ runId, entry }: Extract<DurableEvent, { type: 'compaction' }>): SessionUpdate {
    const { n, text, tokensBefore, tokensAfter } = entry;
    if (!this.#parts.compactions)
      return this.notice('info', 'The context was compacted', `${tokensBefore} → ${tokensAfter} tokens`).update;
    const summary = [{ type: 'text' as const, text }];
    return { sessionUpdate: 'compaction_update', compactionId: `${runId}:${n}`, status: 'completed', summary };
  }

  #used({ request }: Used): SessionUpdate[] {
    const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, outputTokens } = request;
    const size = this.#parts.windows.of(request);
    if (size === null || request.purpose !== undefined) return [];
    const used = inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens + outputTokens;
    const total = this.#rows.get('conversation', this.#parts.conversation.id)?.usage;
    // Left out if any price is not known.
    const cost = total?.unpriced === 0 ? { cost: { amount: total.nanoUsd / 1e9, currency: 'USD' } } : {};
    return [{ sessionUpdate: 'usage_update', used, size, ...cost }];
  }
}
