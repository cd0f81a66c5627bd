/** Errors as they cross a boundary: a stable code for programs, one sentence for people. */
import { z } from 'zod';
import { Phrase } from './approvals/phrase.ts';

export const ErrorCode = z.enum([
  'bad_input', // what was sent does not fit the contract
  'not_found', // no such conversation, workflow, run, agent, approval
  'conflict', // the thing is in a state that forbids this
  'already_answered', // another client was first
  'limit_reached', // no slot left, or a budget is used up
  'depth_exceeded',
  'not_allowed', // outside the workspace, a tool or permission that the parent lacks
  'no_key', // no provider is set up
  'auth', // the provider refused the key
  'rate_limited',
  'overloaded',
  'unreachable', // no connection to the provider, or it broke
  'disconnected', // the process that does the work has gone; what was asked of it may have happened
  'bad_request', // the provider refused the request
  'provider', // any other answer of the provider
  'refused', // the model declined
  'max_tokens',
  'doom_loop',
  'reflection_failed', // its own reviews were not passed, and it has no more tries
  'invalid_chain_payload', // what a stage gave is not what the next one takes
  'invalid_output', // the report is not what its agent's file promises
  'chain_failed', // a stage did not complete, so those after it did not start
  'rounds_used', // the answers of its control flow are used up, and none was found complete
  'coagent_failed', // the coagent did not complete, so nobody has judged the answer
  'max_iterations',
  'inactive',
  'envelope_mismatch', // what was stored is not what was approved
  'store_locked',
  'store_unwritable',
  'store_failed',
  'cancelled',
  'interrupted',
  'internal',
]);
export type ErrorCode = z.infer<typeof ErrorCode>;

export const ErrorInfo = z.object({
  code: ErrorCode,
  message: z.string(),
  /** Developer detail (a stack, a provider's request id); never needed to understand the message. */
  detail: z.string().optional(),
  /** The message as keys and values, one behind the other, where it is in the words of the program. */
  says: z.array(Phrase).optional(),
});
export type ErrorInfo = z.infer<typeof ErrorInfo>;

/** Every answer that crosses a bridge. */
export type Reply<T> = { ok: true; value: T } | { ok: false; error: ErrorInfo };
