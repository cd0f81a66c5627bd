/** A chain: what a run gave is the prompt of the stage that follows it, and so on; the first that does not complete is its last. */
import type { Envelope, Stage } from '#contract/agent.ts';
import type { ErrorInfo } from '#contract/error.ts';
import type { OutputExpectation } from '#contract/flows/control-flow.ts';
import type { Outcome } from '#contract/outcome.ts';
import { addTally } from '#contract/tally.ts';
import type { RunRow } from '#contract/view.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { handedOn } from '../loop/output-check.ts';
import type { EndedRun } from '../runs/run.ts';

/** A run of a chain that has ended. */
export interface Link extends EndedRun {
  runId: string;
  agent: string;
}

/** The stage that is next: the one that was approved, with what the run before it gave. */
export interface NextStage {
  /** From 1. */
  place: number;
  envelope: Envelope;
  envelopeHash: string;
}

/** What was approved: the settings of the first run, with all that follows it. */
export type Approved = Pick<RunRow, 'envelope' | 'envelopeHash'>;

export interface ChainEnd {
  /** The runs that were begun, in order. */
  links: readonly [Link, ...Link[]];
  outcome: Outcome;
  /** Of a chain: which run did not complete (`chain_failed`), or why the next one could not start. */
  error: ErrorInfo | null;
}

/**
 * Goes on from the end of the first run through its stages, each run by `run`. Rejects only where that does: what ends a
 * run ends the chain, and so does a stage that would not be the approved one (`envelope_mismatch`) or would get what it
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

/** Throws a TriadError where it is not the approved one, or cannot read the text. */
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

/** The chains of these runs, by the id of the first run of each. */
export function chainsIn(runs: readonly RunRow[]): Map<string, RunRow[]> {
  const stages = runs.filter(({ kind }) => kind === 'chain');
  stages.sort((a, b) => (a.place ?? 0) - (b.place ?? 0));
  return Map.groupBy(stages, ({ parentRunId }) => parentRunId ?? '');
}

/** The run that its chain began with: its own id where it is no stage. */
export function chainOf({ id, kind, parentRunId }: Pick<RunRow, 'id' | 'kind' | 'parentRunId'>): string {
  return kind === 'chain' && parentRunId !== null ? parentRunId : id;
}

/** Nothing of it is left to do: an interrupted one goes on. */
export function hasEnded({ outcome }: Pick<RunRow, 'outcome'>): boolean {
  return outcome !== null && outcome !== 'interrupted';
}

/** Whether something of a chain is left to do: a run that has not ended, or a stage that was never queued. `stages`: in order. */
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
