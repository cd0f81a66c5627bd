/** The rows of all tables that follow from events, without a store. */
import type { DurableEvent } from '#contract/event.ts';
import type { RowChange, Table } from '#contract/rows.ts';
import { ProjectedRows } from '#domain/projected-rows.ts';
import { conversationRow } from './recording.ts';

const TABLES: Record<Table, true> = {
  conversation: true,
  workflow: true,
  run: true,
  sub_agent_execution: true,
  message: true,
  tool_call: true,
  approval: true,
  model_request: true,
  open_message: true,
  memory: true,
  permission_grant: true,
};

/** Rows in memory. A row that an event must change and that does not exist is an error. */
export class MemoryRows extends ProjectedRows {
  constructor(rows: readonly RowChange[] = [], events: readonly DurableEvent[] = []) {
    super(Object.keys(TABLES) as Table[]);
    for (const row of rows) this.put(row);
    for (const event of events) this.apply(event);
  }

  override apply(event: DurableEvent): RowChange[] {
    return super.apply(event, ({ table, key }) => {
      throw new Error(`${event.type} changes ${table} ${[key].flat().join(' ')}, which does not exist`);
    });
  }
}

/** The rows that follow from events of the conversation of a recording. */
export function projectedRows(events: readonly DurableEvent[]): MemoryRows {
  const row = conversationRow();
  return new MemoryRows([{ table: 'conversation', key: row.id, row }], events);
}
