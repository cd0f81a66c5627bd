/** One workflow on its history page: its rows, polled every second while it runs, and read again when a change is undone. */
import type { WorkflowDetail } from '#contract/view.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';
import type { TranscriptSource } from '#lib/runs/session.svelte.ts';
import { withCalls, withEntries, type View } from '#lib/view/reduce.ts';

const REFRESH_MS = 1000;

export class WorkflowPage implements TranscriptSource {
  detail = $state.raw<WorkflowDetail | null>(null);
  view = $state.raw<View | null>(null);
  failure = $state.raw<RequestError | null>(null);
  readonly workflowId: string;
  readonly #connection: Connection;
  readonly #endOnOpen: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #endWatch: Promise<() => void> | null = null;

  constructor(connection: Connection, workflowId: string) {
    this.#connection = connection;
    this.workflowId = workflowId;
    this.#endOnOpen = connection.onOpen(() => {
      this.#endWatch = null;
      void this.load();
    });
    if (connection.status === 'open') void this.load();
  }

  async load(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const detail = await this.#connection.request('workflow.get', { workflowId: this.workflowId });
      if (this.#closed) return;
      this.detail = detail;
      this.view = viewOf(detail, this.view);
      this.failure = null;
      const { entries } = this.view;
      // Also of runs with several attempts: their entries say when each began.
      const wanted = detail.runs.filter(({ id, outcome, attempt }) =>
        outcome === null ? attempt > 0 : attempt > 1 && !entries.has(id),
      );
      await Promise.all(wanted.map(({ id }) => this.loadEntries(id)));
      if (detail.workflow.outcome === null && !this.#closed) {
        this.#timer = setTimeout(() => void this.load(), REFRESH_MS);
      } else if (!this.#closed) this.#watch(detail.conversation.id);
    } catch (error) {
      this.failure = asRequestError(error);
    }
  }

  async loadEntries(runId: string): Promise<void> {
    const isElsewhere = this.detail?.elsewhere?.some(({ id }) => id === runId) ?? false;
    const [entries, calls] = await Promise.all([
      this.#connection.request('run.entries', { runId }),
      isElsewhere ? this.#connection.request('run.calls', { runId }) : [],
    ]);
    if (this.view) this.view = withCalls(withEntries(this.view, runId, entries), calls);
  }

  /** What is undone here, in the conversation or by another program: the calls tell of it at once. */
  #watch(conversationId: string): void {
    this.#endWatch ??= this.#connection
      .subscribe('conversation', { conversationId }, (event) => {
        if (event.type === 'change-undo' && event.workflowId === this.workflowId) void this.load();
      })
      .catch(() => () => undefined);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    void this.#endWatch?.then((end) => end());
    this.#endOnOpen();
  }
}

/** Keeps loaded entries, except those of runs that ended since, which are loaded again. */
function viewOf(detail: WorkflowDetail, known: View | null): View {
  const ended = new Set(
    detail.runs
      .filter(({ id, outcome }) => outcome !== known?.runs.find((run) => run.id === id)?.outcome)
      .map(({ id }) => id),
  );
  const entries = [...(known?.entries ?? [])].filter(([runId]) => !ended.has(runId));
  const { conversation, workflow, calls, approvals } = detail;
  const elsewhere = detail.elsewhere ?? [];
  const runs = [...detail.runs, ...elsewhere];
  const loaded = known?.calls.filter(({ runId }) => elsewhere.some(({ id }) => id === runId)) ?? [];
  return {
    conversation,
    runs,
    calls: [...calls, ...loaded],
    approvals,
    seq: workflow.lastSeq,
    workflows: [workflow],
    more: false,
    entries: new Map(entries),
    open: [],
    waits: {},
    reviewing: [],
    outputs: [],
    compacting: [],
  };
}
