/** The rows of a store, kept in memory from the engine's own writes: what a snapshot is compared with. */
import type { AgentEvent, HintEvent } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import type { Approval } from '#contract/approval.ts';
import type { ConversationRow, OpenMessage, RunRow, Snapshot, ToolCallRow, WorkflowRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import { apply } from '#core/store/apply.ts';
import type { Write } from '#core/store/store.ts';
import { CONVERSATION } from './story.ts';

type Row = Record<string, unknown>;
const AT = '2026-01-02T03:04:05.000Z';

export function emptyConversation(): ConversationRow {
  return {
    id: CONVERSATION,
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
  readonly #tables = new Map<string, Map<string, Row>>();
  readonly #open = new Map<string, OpenMessage>();
  #seq = 0;

  constructor() {
    this.#write({ kind: 'put', table: 'conversation', key: CONVERSATION, row: emptyConversation() });
  }

  take(event: AgentEvent): void {
    if (!('seq' in event)) return this.#stream(event);
    this.#seq = event.seq;
    for (const write of apply(event)) this.#write(structuredClone(write));
    if (event.type === 'message-end' && event.entry.kind === 'assistant') this.#open.delete(event.entry.messageId);
    // The engine forgets what a failed attempt had streamed.
    if (event.type === 'retry') {
      for (const [id, { runId }] of this.#open) if (runId === event.runId) this.#open.delete(id);
    }
  }

  snapshot(): Snapshot {
    const entries = new Map<string, Entry[]>();
    for (const [key, row] of this.#rows('message')) {
      const runId = String((JSON.parse(key) as unknown[])[0]);
      const list = [...(entries.get(runId) ?? []), row['entry'] as Entry];
      entries.set(
        runId,
        list.sort((a, b) => a.n - b.n),
      );
    }
    const rows = <T>(table: string) => [...this.#rows(table).values()] as T[];
    const conversation = this.#rows('conversation').get(CONVERSATION) as ConversationRow;
    return structuredClone({
      seq: this.#seq,
      conversation: { ...conversation, lastSeq: this.#seq },
      workflows: rows<WorkflowRow>('workflow'),
      more: false,
      runs: rows<RunRow>('run'),
      entries: Object.fromEntries(entries),
      calls: rows<ToolCallRow>('tool_call'),
      approvals: rows<Approval>('approval').map(({ request, decisions }) => ({ request, decisions })),
      open: [...this.#open.values()],
    });
  }

  #rows(table: string): Map<string, Row> {
    const known = this.#tables.get(table) ?? new Map<string, Row>();
    this.#tables.set(table, known);
    return known;
  }

  #write(write: Write): void {
    const rows = this.#rows(write.table);
    const key = typeof write.key === 'string' ? write.key : JSON.stringify(write.key);
    if (write.kind === 'delete') return void rows.delete(key);
    if (write.kind === 'put') return void rows.set(key, { ...write.row });
    const row = rows.get(key) ?? {};
    for (const [field, value] of Object.entries(write.initial ?? {})) row[field] ||= value;
    Object.assign(row, write.set);
    for (const [path, n] of Object.entries(write.add ?? {})) addAt(row, path.split('.'), n);
    for (const [field, value] of Object.entries(write.union ?? {})) {
      const list = row[field] as unknown[];
      row[field] = list.includes(value) ? list : [...list, value];
    }
    for (const [field, { index, value }] of Object.entries(write.item ?? {})) {
      row[field] = (row[field] as unknown[]).with(index, value);
    }
    for (const [field, value] of Object.entries(write.append ?? {}))
      row[field] = [...((row[field] as unknown[] | undefined) ?? []), value];
    rows.set(key, row);
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

function addAt(row: Row, path: string[], n: number): void {
  const [field = '', ...rest] = path;
  if (rest.length === 0) row[field] = Number(row[field] ?? 0) + n;
  else {
    row[field] = { ...(row[field] as Row) };
    addAt(row[field] as Row, rest, n);
  }
}
