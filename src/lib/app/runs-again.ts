/** Runs one execution again, alone, in a new conversation, and finds both of them again. */
import { isSubAgent } from '#contract/flows/serving.ts';
import type { Client } from '#contract/rpc.ts';
import type { RunRow, WorkflowDetail } from '#contract/view.ts';
import { asRequestError, failureText } from '#lib/client/request-error.ts';
import type { Toasts } from '#lib/ui/toasts.ts';
import { text } from '#lib/words/text.ts';

/** A run with all of its workflow. */
export interface Side {
  run: RunRow;
  detail: WorkflowDetail;
}

/** Which runs are meant: one that was run again, and the workflow in which it was. */
export interface Both {
  first: { workflowId: string; runId: string };
  again: { workflowId: string };
  /** Which of them one looks from. */
  from: keyof typeof text.again.compare;
}

/** The newest again of a first one, or the again itself; null for what is neither, or has not ended. */
export function bothOf({ id, workflowId, outcome, again, agains }: RunRow): Both | null {
  if (outcome === null) return null;
  if (again) return { first: again, again: { workflowId }, from: 'again' };
  const last = agains?.at(-1);
  return last ? { first: { workflowId, runId: id }, again: last, from: 'first' } : null;
}

/** Only what has ended, and leads nobody. */
export function canRunAgain({ kind, outcome }: Pick<RunRow, 'kind' | 'outcome'>): boolean {
  return kind !== 'lead' && outcome !== null;
}

export class RunsAgain {
  readonly #client: Client;
  readonly #toasts: Toasts;
  readonly #onMade: () => void;

  /** `onMade` is called once there is a new conversation. */
  constructor(client: Client, toasts: Toasts, onMade: () => void) {
    this.#client = client;
    this.#toasts = toasts;
    this.#onMade = onMade;
  }

  /** The id of the conversation in which its question waits; null where there is none, and a toast says why. */
  async run(runId: string): Promise<string | null> {
    try {
      const { conversationId } = await this.#client.request('run.again', { runId, via: 'app' });
      this.#onMade();
      return conversationId;
    } catch (error) {
      this.#toasts.error(failureText(error));
      return null;
    }
  }

  /** Null where one of them is gone, and a toast says so. */
  async both({ first, again }: Omit<Both, 'from'>): Promise<[first: Side, again: Side] | null> {
    try {
      const [one, other] = await Promise.all(
        [first, again].map(({ workflowId }) => this.#client.request('workflow.get', { workflowId })),
      );
      const run = one?.runs.find(({ id }) => id === first.runId);
      const later = other?.runs.find((row) => isSubAgent(row) && row.again?.runId === first.runId);
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
}
