/** One run of a coagent: an ordinary run below the one that it serves, begun or gone on with, and what it said. */
import type { Coagent, Envelope } from '#contract/agent.ts';
import type { HandoffEntry } from '#contract/message.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import type { RunRow } from '#contract/view.ts';
import { TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { traceIdOf } from '../base/ids.ts';
import { linkedController, stopOf } from '../base/stop.ts';
import { Recorder } from '../log/recorder.ts';
import type { Earlier } from '../log/told.ts';
import { executeRun } from '../runs/run.ts';
import type { RunPlan } from '../runs/run-plan.ts';
import type { LiveRun } from '../runs/run-tree.ts';
import { loadStored } from '../runs/stored-run.ts';
import type { Served } from './served.ts';
import type { Heard } from './judgement.ts';

type Handed = HandoffEntry & { runId: string };

/** The handoff of a round, with the earlier rounds that the coagent remembers. */
export interface CoagentRound {
  handoff: Handed;
  prior: readonly Earlier[];
}

/** Ends with the coagent's end; throws where the served run is stopped, or the program ends. One that has ended is not run again. */
export async function coagentRun(
  served: Served,
  coagent: Coagent,
  { handoff, prior }: CoagentRound,
  signal: AbortSignal,
): Promise<Heard> {
  const { engine, plan } = served;
  // Nothing of it is stored where this attempt has handed the work over.
  const row = plan.attempt === 1 ? null : await engine.store.run(handoff.runId);
  if (row?.outcome && row.outcome !== 'interrupted') {
    const { outcome, text, error } = row;
    return { outcome, text, error, entries: await engine.store.entriesOf(row.id) };
  }
  // As it was approved, also where it goes on: what is stored of it must be the same.
  const envelope: Envelope = { ...coagent, prompt: handoff.prompt, stages: [] };
  return live(
    served,
    { handoff, prior, row, envelope, envelopeHash: row?.envelopeHash ?? canonicalHash(envelope) },
    signal,
  );
}

interface Asked extends Pick<RunPlan, 'envelope' | 'envelopeHash'>, CoagentRound {
  /** What an earlier attempt left; null where it is not queued yet. */
  row: RunRow | null;
}

async function live(served: Served, asked: Asked, signal: AbortSignal): Promise<Heard> {
  const { workflow, plan } = served;
  const { runId } = asked.handoff;
  const { agent } = asked.envelope;
  const { controller, unlink } = linkedController(signal);
  const run = { runId, parentRunId: plan.recorder.ids.runId, agent, title: agent, controller };
  const heard = await workflow.runs.live(run, (one) => execute(served, one, asked)).finally(unlink);
  if (signal.aborted) throw stopOf(signal);
  if (heard.outcome === 'interrupted') throw new TriadError('interrupted', heard.error?.message ?? 'Interrupted');
  return heard;
}

async function execute(
  served: Served,
  one: LiveRun,
  { handoff, prior, row, envelope, envelopeHash }: Asked,
): Promise<Heard> {
  const { engine, workflow, plan } = served;
  const { agent } = envelope;
  const ids = { ...plan.recorder.ids, runId: one.runId, parentRunId: plan.recorder.ids.runId, agent };
  const recorder = new Recorder(engine.log, engine.open, ids, row?.usage ?? ZERO_TALLY, workflow.record);
  const chain = [...plan.chain, agent];
  if (!row)
    void recorder.record({
      ...{ type: 'run-queue', kind: 'coagent', depth: plan.depth, name: agent, title: agent, task: handoff.prompt },
      ...{ toolCallId: null, item: 0, place: handoff.round, parentChain: chain, traceId: traceIdOf(one.runId) },
      ...{ envelope, envelopeHash },
    });
  const stored = await loadStored(engine.store, row, []);
  const ended = await executeRun(engine, workflow, one, {
    recorder,
    kind: 'coagent',
    depth: plan.depth,
    chain,
    envelope,
    envelopeHash,
    attempt: (row?.attempt ?? 0) + 1,
    retried: false,
    stored,
    prior,
    left: [],
    steps: plan.steps?.serving('coagent', handoff.round) ?? null,
    queuedMs: row ? Math.max(0, Date.now() - Date.parse(row.queuedAt)) : 0,
    queueDepth: 0,
    partner: null,
    children: null,
  });
  // Its history grows in the list that it was made from.
  return { ...ended, entries: stored.entries };
}
