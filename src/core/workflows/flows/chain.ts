/** A chain: the result of a run is the prompt of the next stage. The first run that does not complete ends the chain. */
import type { Envelope, Stage } from '#contract/agent.ts';
import type { ErrorInfo } from '#contract/error.ts';
import type { OutputExpectation } from '#contract/flows/control-flow.ts';
import type { Outcome } from '#contract/outcome.ts';
import { addTally } from '#domain/tally.ts';
import type { RunRow } from '#contract/view.ts';
import { errorInfo, TriadError } from '#core/base/errors.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { handedOn } from '#core/runs/loop/output-check.ts';
import type { EndedRun } from '#core/runs/execute-run.ts';

/** A run of a chain that has ended. */
export interface Link extends EndedRun {
  runId: string;
  agent: string;
}

/** The next approved stage, with the result of the run before as its prompt. */
export interface NextStage {
  /** Number of the stage, from 1. */
  place: number;
  envelope: Envelope;
  envelopeHash: string;
}

/** The approved envelope of the first run, which contains all stages. */
export type Approved = Pick<RunRow, 'envelope' | 'envelopeHash'>;

export interface ChainEnd {
  /** The started runs, in order. */
  links: readonly [Link, ...Link[]];
  outcome: Outcome;
  /** With stages: the run that did not complete (`chain_failed`), or the reason why the next one could not start. */
  error: ErrorInfo | null;
}

/**
 * Runs the stages after the first run, each with `run`. Rejects only if `run` rejects. The chain ends with the first run
 * that does not complete, with a stage that was not approved (`envelope_mismatch`), and with a result that the next stage
 * cannot read (`invalid_chain_payload`).
 */
export async function runChain(
  first: Link,
  approved: Approved,
  run: (next: NextStage) => Promise<Link>,
): Promise<ChainEnd> {
  const links: [Link, ...Link[]] = [first];
  const { stages } = approved.envelope;
  let last = first;
  while (last.outcome === 'completed' && links.length <= stages.length) {
    let next: NextStage;
    try {
      next = nextStage(approved, links.length, last.text);
    } catch (error) {
      return { links, outcome: 'error', error: errorInfo(error) };
    }
    last = await run(next);
    links.push(last);
  }
  return { links, outcome: last.outcome, error: stages.length === 0 ? last.error : chainError(links, stages) };
}

/** Returns the next stage. Throws a TriadError if it was not approved, or cannot read the text. */
function nextStage({ envelope, envelopeHash }: Approved, place: number, text: string): NextStage {
  if (canonicalHash(envelope) !== envelopeHash)
    throw new TriadError('envelope_mismatch', 'The stored settings of this chain are not those that were approved');
  const [before, stage] = [envelope, ...envelope.stages].slice(place - 1);
  const prompt = promptOf(before?.output, text);
  const own: Envelope = { ...stage!, prompt, stages: [] };
  return { place, envelope: own, envelopeHash: canonicalHash(own) };
}

function promptOf(output: OutputExpectation | undefined, text: string): string {
  const handed = output ? handedOn(output, text) : { ok: true as const, payload: text };
  if (handed.ok) return handed.payload;
  throw new TriadError('invalid_chain_payload', `What the run before gave cannot be handed on: ${handed.why}`);
}

function chainError(links: readonly Link[], stages: readonly Stage[]): ErrorInfo | null {
  const place = links.length - 1;
  const { agent, outcome, error } = links[place]!;
  if (outcome === 'completed') return null;
  const who = place === 0 ? agent : `Stage ${place} of ${stages.length} (${agent})`;
  const after = stages.slice(place).map((stage) => stage.agent);
  const left = after.length === 0 ? '' : `. Not started after it: ${after.join(', ')}`;
  return { code: 'chain_failed', message: `${who} ended as ${outcome}: ${error?.message ?? outcome}${left}` };
}

/** Returns the stages of all chains in order, by the id of the first run. */
export function chainsIn(runs: readonly RunRow[]): Map<string, RunRow[]> {
  const stages = runs.filter(({ kind }) => kind === 'chain');
  stages.sort((a, b) => (a.place ?? 0) - (b.place ?? 0));
  return Map.groupBy(stages, ({ parentRunId }) => parentRunId ?? '');
}

/** Returns the id of the first run of a chain; for a run that is no stage, its own id. */
export function chainOf({ id, kind, parentRunId }: Pick<RunRow, 'id' | 'kind' | 'parentRunId'>): string {
  return kind === 'chain' && parentRunId !== null ? parentRunId : id;
}

/** Returns true if a run has ended for good. An interrupted run can be resumed. */
export function hasEnded({ outcome }: Pick<RunRow, 'outcome'>): boolean {
  return outcome !== null && outcome !== 'interrupted';
}

/** Returns true if a chain is unfinished: a run has not ended, or a stage was never queued. `stages`: in order. */
export function isLeft(first: RunRow, stages: readonly RunRow[]): boolean {
  const last = stages.at(-1) ?? first;
  return !hasEnded(last) || (last.outcome === 'completed' && stages.length < first.envelope.stages.length);
}

/** Returns the time and the usage of all runs of a chain. */
export function sumLinks(links: ChainEnd['links']): Pick<Link, 'durationMs' | 'tally'> {
  return {
    durationMs: links.reduce((sum, link) => sum + link.durationMs, 0),
    tally: links.map((link) => link.tally).reduce(addTally),
  };
}

export function linkOf(row: RunRow): Link {
  const { id: runId, agent, outcome, text, error, durationMs, usage: tally, reviews } = row;
  const end = { outcome: outcome ?? 'interrupted', text, error, ...(reviews && { reviews }) };
  return { runId, agent, ...end, durationMs: durationMs ?? 0, tally };
}
