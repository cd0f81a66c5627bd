/** A run hands on what was promised: its answer is held against what the next agent takes, or its own file asks for. */
import type { Envelope } from '#contract/agent.ts';
import type { OutputExpectation } from '#contract/flows/control-flow.ts';
import { MAX_PROMPT_CHARS } from '#contract/limits.ts';
import { payloadOf } from '#core/agents/contracts.ts';
import type { RunResult } from './closing.ts';

/**
 * How a run ends that would end with `result`: as it is, or where its answer is not what was promised with the outcome
 * `error` (`invalid_chain_payload`, or `invalid_output` where nothing follows), its text kept.
 */
export function asPromised({ output }: Pick<Envelope, 'output'>, result: RunResult): RunResult {
  if (!output || result.outcome !== 'completed') return result;
  const handed = handedOn(output, result.text);
  if (handed.ok) return result;
  const [code, what] =
    output.next === undefined
      ? (['invalid_output', 'its own file promises'] as const)
      : (['invalid_chain_payload', `${output.next} takes`] as const);
  return { ...result, outcome: 'error', error: { code, message: `The answer is not what ${what}: ${handed.why}` } };
}

/** What becomes the prompt of the next agent. */
export function handedOn(output: OutputExpectation, text: string): ReturnType<typeof payloadOf> {
  const handed = payloadOf(output, text);
  if (output.next === undefined || !handed.ok || handed.payload.length <= MAX_PROMPT_CHARS) return handed;
  return { ok: false, why: `it has ${handed.payload.length} characters, and a prompt at most ${MAX_PROMPT_CHARS}` };
}
