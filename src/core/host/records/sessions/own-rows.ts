/** Rows of workflows whose events this program stored, in memory, so that their pages need no read of the database. */
import type { DurableEvent } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import type { RowReader, TableRows } from '#contract/rows.ts';
import type { ToolCallRow } from '#contract/view.ts';
import { project } from '#domain/project.ts';

/** Maximum number of workflows in memory. Above it, the oldest is dropped and read from the store. */
const MAX_WORKFLOWS = 64;

/** The ids of a workflow's runs and approvals, and the rows that no cache of the store has. */
export class OwnRows implements RowReader {
  readonly runs = new Set<string>();
  readonly approvals = new Set<string>();
  readonly #entries = new Map<string, Entry[]>();
  readonly #calls = new Map<string, ToolCallRow>();

  get<T extends keyof TableRows>(table: T, key: Parameters<RowReader['get']>[1]): TableRows[T] | null {
    return table === 'tool_call' ? ((this.#calls.get(String(key)) as TableRows[T] | undefined) ?? null) : null;
  }

  add(event: DurableEvent): void {
    if (event.type === 'run-queue') this.runs.add(event.runId);
    else if (event.type === 'approval-request') this.approvals.add(event.approval.id);
    for (const { table, key, row } of project(this, event)) {
      if (row === null) continue;
      if (table === 'tool_call') this.#calls.set(String(key), row);
      else if (table === 'message') this.#addEntry(String(key[0]), row.entry);
    }
  }

  /** By run id, in order. */
  get entries(): ReadonlyMap<string, readonly Entry[]> {
    return this.#entries;
  }

  /** In the order in which the store returns them: of each run by id. */
  get calls(): ToolCallRow[] {
    const order = [...this.runs].sort();
    return [...this.#calls.values()].sort(
      (a, b) => order.indexOf(a.runId) - order.indexOf(b.runId) || (a.toolCallId < b.toolCallId ? -1 : 1),
    );
  }

  #addEntry(runId: string, entry: Entry): void {
    const entries = this.#entries.get(runId) ?? [];
    const at = entries.findIndex(({ n }) => n >= entry.n);
    if (at === -1) entries.push(entry);
    else entries.splice(at, entries[at]?.n === entry.n ? 1 : 0, entry);
    this.#entries.set(runId, entries);
  }
}

export class OwnWorkflows {
  readonly #rows = new Map<string, OwnRows>();

  /** Takes every stored event. */
  observe(event: DurableEvent): void {
    const { workflowId } = event;
    if (event.type === 'workflow-start' && event.attempt === 1) {
      this.#rows.set(workflowId, new OwnRows());
      const [oldest] = this.#rows.size > MAX_WORKFLOWS ? this.#rows.keys() : [];
      if (oldest !== undefined) this.#rows.delete(oldest);
    }
    this.#rows.get(workflowId)?.add(event);
  }

  /** Undefined for a workflow that must be read from the store. */
  get(workflowId: string): OwnRows | undefined {
    return this.#rows.get(workflowId);
  }

  delete(workflowId: string): void {
    this.#rows.delete(workflowId);
  }
}
