/** The rows that a page holds, while events are applied to them. */
import type { Approval } from '#contract/approval.ts';
import type { Entry } from '#contract/message.ts';
import type { RowChange, RowKey, RowReader, Table, TableRows } from '#contract/rows.ts';
import type { ConversationRow, RunRow, ToolCallRow, WorkflowRow } from '#contract/view.ts';
import { type RunEntries, withRuns } from './run-entries.ts';

/** The lists of rows in a view. */
export interface ViewLists {
  conversation: ConversationRow;
  workflows: WorkflowRow[];
  runs: RunRow[];
  entries: RunEntries;
  calls: ToolCallRow[];
  approvals: Approval[];
}

/**
 * Reads and changes the rows of a view. The view itself does not change: each list is copied once, before its first
 * change, so that many events cost one copy.
 */
export class ViewRows implements RowReader {
  readonly #workflows: RowList<WorkflowRow>;
  readonly #runs: RowList<RunRow>;
  readonly #calls: RowList<ToolCallRow>;
  readonly #approvals: RowList<Approval>;
  readonly #entries: RunEntries;
  readonly #changedEntries = new Map<string, readonly Entry[]>();
  #conversation: ConversationRow;

  constructor(view: ViewLists) {
    this.#conversation = view.conversation;
    this.#workflows = new RowList(view.workflows, ({ id }) => id);
    this.#runs = new RowList(view.runs, ({ id }) => id);
    this.#calls = new RowList(view.calls, ({ runId, toolCallId }) => keyText([runId, toolCallId]));
    this.#approvals = new RowList(view.approvals, ({ request }) => request.id);
    this.#entries = view.entries;
  }

  get lists(): ViewLists {
    return {
      conversation: this.#conversation,
      workflows: this.#workflows.rows,
      runs: this.#runs.rows,
      entries: this.#changedEntries.size === 0 ? this.#entries : withRuns(this.#entries, this.#changedEntries),
      calls: this.#calls.rows,
      approvals: this.#approvals.rows,
    };
  }

  get<T extends Table>(table: T, key: RowKey): TableRows[T] | null {
    return this.#read(table, keyText(key)) as TableRows[T] | null;
  }

  /** Stores a row. A row of a table that a page does not hold is left out. */
  put(change: RowChange): void {
    if (change.row === null) return;
    switch (change.table) {
      case 'conversation':
        this.#conversation = change.row;
        return;
      case 'workflow':
        return this.#workflows.put(change.row);
      case 'run':
        return this.#runs.put(change.row);
      case 'message':
        return this.#putEntry(String(change.key[0]), change.row.entry);
      case 'tool_call':
        return this.#calls.put(change.row);
      case 'approval': {
        const { workflowId: _workflowId, open: _open, ...approval } = change.row;
        return this.#approvals.put(approval);
      }
      default:
    }
  }

  #putEntry(runId: string, entry: Entry): void {
    const list = this.#changedEntries.get(runId) ?? this.#entries.get(runId) ?? [];
    this.#changedEntries.set(runId, withEntry(list, entry));
  }

  #read(table: Table, key: string): TableRows[Table] | null {
    switch (table) {
      case 'conversation':
        return this.#conversation.id === key ? this.#conversation : null;
      case 'workflow':
        return this.#workflows.get(key);
      case 'run':
        return this.#runs.get(key);
      case 'tool_call':
        return this.#calls.get(key);
      case 'approval': {
        const approval = this.#approvals.get(key);
        return approval && approvalRow(approval);
      }
      default:
        return null;
    }
  }
}

/** Returns an approval with the columns that only a store holds. */
function approvalRow(approval: Approval): TableRows['approval'] {
  const open = approval.decisions.filter((decision) => decision === null).length;
  return { ...approval, workflowId: approval.request.workflowId, open };
}

/** Unambiguous, because no id contains a space. */
function keyText(key: RowKey): string {
  return typeof key === 'string' ? key : key.join(' ');
}

/** Positions by key in the newest version of a list, so that a lookup does not scan it. */
const POSITIONS = new WeakMap<readonly object[], Map<string, number>>();

/** One list of a view. */
class RowList<Row extends object> {
  rows: Row[];
  readonly #getKey: (row: Row) => string;
  #isCopied = false;

  constructor(rows: Row[], getKey: (row: Row) => string) {
    this.rows = rows;
    this.#getKey = getKey;
  }

  get(key: string): Row | null {
    const position = this.#getPositions().get(key);
    return position === undefined ? null : (this.rows[position] ?? null);
  }

  put(row: Row): void {
    const positions = this.#getPositions();
    this.#copy(positions);
    const key = this.#getKey(row);
    const position = positions.get(key) ?? this.rows.length;
    positions.set(key, position);
    this.rows[position] = row;
  }

  #copy(positions: Map<string, number>): void {
    if (this.#isCopied) return;
    this.#isCopied = true;
    // The positions belong to one version: a change of an older version counts them anew.
    POSITIONS.delete(this.rows);
    this.rows = [...this.rows];
    POSITIONS.set(this.rows, positions);
  }

  #getPositions(): Map<string, number> {
    const known = POSITIONS.get(this.rows);
    if (known) return known;
    const positions = new Map(this.rows.map((row, position) => [this.#getKey(row), position]));
    POSITIONS.set(this.rows, positions);
    return positions;
  }
}

function withEntry(list: readonly Entry[], entry: Entry): Entry[] {
  // After the last entry with a smaller number, which is nearly always the last of all.
  const at = list.findLastIndex(({ n }) => n < entry.n) + 1;
  return list[at]?.n === entry.n ? list.with(at, entry) : list.toSpliced(at, 0, entry);
}
