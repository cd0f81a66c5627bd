/** The rows that follow from events, in memory, for comparisons with a snapshot. */
import type { AgentEvent, HintEvent } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import type { Table, TableRows } from '#contract/rows.ts';
import type { ConversationRow, OpenMessage, Snapshot } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { MemoryRows } from '../../support/memory-rows.ts';
import { conversationId } from '../../support/recording.ts';

const AT = '2026-01-02T03:04:05.000Z';

export function emptyConversation(): ConversationRow {
  return {
    id: conversationId,
    title: '',
    folder: '/tmp/project',
    agent: 'lead',
    createdAt: AT,
    updatedAt: AT,
    lastSeq: 0,
    usage: ZERO_TALLY,
  };
}

export class Rows {
  readonly #rows = new MemoryRows([{ table: 'conversation', key: conversationId, row: emptyConversation() }]);
  readonly #open = new Map<string, OpenMessage>();
  #seq = 0;

  take(event: AgentEvent): void {
    if (!('seq' in event)) return this.#stream(event);
    this.#seq = event.seq;
    this.#rows.apply(structuredClone(event));
    if (event.type === 'message-end' && event.entry.kind === 'assistant') this.#open.delete(event.entry.messageId);
    // The engine forgets what a failed attempt had streamed.
    if (event.type === 'retry') {
      for (const [id, { runId }] of this.#open) if (runId === event.runId) this.#open.delete(id);
    }
  }

  snapshot(): Snapshot {
    const entries = new Map<string, Entry[]>();
    for (const { key, row } of this.#rows.all('message')) {
      const list = [...(entries.get(key[0]) ?? []), row.entry];
      entries.set(
        key[0],
        list.sort((a, b) => a.n - b.n),
      );
    }
    const rows = <T extends Table>(table: T): TableRows[T][] => this.#rows.all(table).map(({ row }) => row);
    return structuredClone({
      seq: this.#seq,
      conversation: { ...this.#rows.get('conversation', conversationId)!, lastSeq: this.#seq },
      workflows: rows('workflow'),
      more: false,
      runs: rows('run'),
      entries: Object.fromEntries(entries),
      calls: rows('tool_call'),
      approvals: rows('approval').map(({ workflowId: _workflowId, open: _open, ...approval }) => approval),
      open: [...this.#open.values()],
    });
  }

  #stream(hint: HintEvent): void {
    if (hint.type === 'tool-output' || hint.type === 'request-silent') return;
    const { messageId, conversationId, workflowId, runId, at, part } = hint;
    const message = this.#open.get(messageId) ?? {
      messageId,
      conversationId,
      workflowId,
      runId,
      at,
      parts: [],
    };
    const kind = hint.type === 'message-delta' ? 'text' : hint.type === 'thinking-delta' ? 'thinking' : 'tool';
    const call = hint.type === 'tool-delta' ? { toolCallId: hint.toolCallId, name: hint.name } : null;
    const meta = { kind, toolCallId: call?.toolCallId ?? null, name: call?.name ?? null } as const;
    const known = (message.parts[part] ??= { ...meta, text: '' });
    known.text += hint.text;
    this.#open.set(messageId, message);
  }
}
