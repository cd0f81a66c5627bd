/** How a turn of the protocol ends: a word of it where it has one (D18), else an error that says what happened. */
import { RequestError, type StopReason } from '@agentclientprotocol/sdk';
import type { DurableEvent } from '#contract/event.ts';

type End = Pick<Extract<DurableEvent, { type: 'workflow-end' }>, 'outcome' | 'error' | 'workflowId'>;

/** Throws a `RequestError` for an end that the protocol has no word for; its data has `code`, `outcome` and `workflowId`. */
export function stopReasonOf({ outcome, error, workflowId }: End): StopReason {
  if (outcome === 'completed') return 'end_turn';
  if (outcome === 'cancelled' || outcome === 'rejected') return 'cancelled';
  if (outcome === 'refused') return 'refusal';
  if (outcome === 'budget_exceeded' || error?.code === 'max_iterations') return 'max_turn_requests';
  if (error?.code === 'max_tokens') return 'max_tokens';
  const data = { code: error?.code ?? outcome, outcome, workflowId };
  const message = error?.message ?? outcome;
  if (error?.code === 'no_key' || error?.code === 'auth') throw RequestError.authRequired(data, message);
  throw RequestError.internalError(data, message);
}
