/** Runs a sub-agent again in a fork, and finds the first run and its reruns. */
import { isSubAgent } from '#contract/flows/serving.ts';
import { listReruns } from '#contract/messages/fork-text.ts';
import type { Client } from '#contract/rpc.ts';
import type { RunRow, WorkflowDetail, WorkflowRow } from '#contract/view.ts';
import { asRequestError, failureText } from '#lib/words/request-error.ts';
import type { Toasts } from '#lib/ui/toasts.ts';
import { text } from '#lib/words/text.ts';

/** A run with the details of its workflow. */
export interface ComparedRun {
  run: RunRow;
  detail: WorkflowDetail;
}

/** A first run, and the conversation with its rerun. */
export interface RerunPair {
  first: { workflowId: string; runId: string };
  again: { conversationId: string; workflowId?: string };
  /** The run that the page shows. */
  from: keyof typeof text.again.compare;
}

/** Returns the newest rerun of a first run, or the first run of a rerun; null for any other run, or one that has not ended. */
export function getRerunPair(
  { id, conversationId, workflowId, outcome, again }: RunRow,
  workflow: Pick<WorkflowRow, 'forks'> | undefined,
): RerunPair | null {
  if (outcome === null) return null;
  if (again) return { first: again, again: { conversationId, workflowId }, from: 'again' };
  const last = workflow && listReruns(workflow, id).at(-1);
  return last ? { first: { workflowId, runId: id }, again: last, from: 'first' } : null;
}

/** True for a sub-agent that has ended. Stages and coagents start with the run that they belong to. */
export function canRunAgain(run: Pick<RunRow, 'kind' | 'outcome'>): boolean {
  return isSubAgent(run) && run.outcome !== null;
}

export class RunsAgain {
  readonly #client: Client;
  readonly #toasts: Toasts;

  constructor(client: Client, toasts: Toasts) {
    this.#client = client;
    this.#toasts = toasts;
  }

  /** Loads both runs; null if one of them does not exist any more, with a toast. */
  async both({ first, again }: Omit<RerunPair, 'from'>): Promise<[first: ComparedRun, again: ComparedRun] | null> {
    try {
      const workflowId = again.workflowId ?? (await this.#findRerun(again.conversationId, first.runId));
      const [one, other] = await Promise.all(
        [first.workflowId, workflowId].map((id) => this.#client.request('workflow.get', { workflowId: id })),
      );
      const run = one?.runs.find(({ id }) => id === first.runId);
      const later = other?.runs.find((row) => row.again?.runId === first.runId);
      if (one && other && run && later)
        return [
          { run, detail: one },
          { run: later, detail: other },
        ];
      this.#toasts.error(text.again.gone);
    } catch (error) {
      this.#toasts.error(asRequestError(error).code === 'not_found' ? text.again.gone : failureText(error));
    }
    return null;
  }

  /** Returns the id of the workflow with the rerun; empty if it does not exist any more. */
  async #findRerun(conversationId: string, runId: string): Promise<string> {
    const { workflows } = await this.#client.request('conversation.snapshot', { conversationId });
    return workflows.find(({ from }) => from?.runId === runId)?.id ?? '';
  }
}
