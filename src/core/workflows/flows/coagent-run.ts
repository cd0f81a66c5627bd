/** Starts or resumes one run of a coagent, below the run that it reviews. */
import type { Coagent, Envelope } from '#contract/agent.ts';
import type { HandoffEntry } from '#contract/message.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import type { RunRow } from '#contract/view.ts';
import { TriadError } from '#core/base/errors.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { traceIdOf } from '#core/base/ids.ts';
import { linkedController, stopOf } from '#core/base/stop.ts';
import { Recorder } from '#core/store/log/recorder.ts';
import type { Earlier } from '#core/store/log/told.ts';
import { executeRun } from '#core/runs/execute-run.ts';
import type { Run } from '#core/runs/run.ts';
import type { RunPlan } from '#core/runs/run-plan.ts';
import type { LiveRun } from '#core/runs/workflow/run-tree.ts';
import { loadStored } from '#core/runs/stored-run.ts';
import type { Heard } from './judgement.ts';

type Handed = HandoffEntry & { runId: string };

/** The handoff of a round, with the earlier rounds that the coagent remembers. */
export interface CoagentRound {
  handoff: Handed;
  prior: readonly Earlier[];
}

/** Resolves with the end of the coagent; an ended run is not repeated. Throws if the reviewed run or the program is stopped. */
export async function coagentRun(served: Run, coagent: Coagent, { handoff, prior }: CoagentRound): Promise<Heard> {
  const { engine, plan } = served;
  // In the first attempt, the coagent has no stored run.
  const row = plan.attempt === 1 ? null : await engine.store.run(handoff.runId);
  if (row?.outcome && row.outcome !== 'interrupted') {
    const { outcome, text, error } = row;
    return { outcome, text, error, entries: await engine.store.entriesOf(row.id) };
  }
  // A resumed run must have the approved envelope. The run that a copied coagent serves was approved again.
  const envelope: Envelope = { ...coagent, prompt: handoff.prompt, stages: [] };
  const approved = handoff.copiedFrom ? undefined : row?.envelopeHash;
  return live(served, { handoff, prior, row, envelope, envelopeHash: approved ?? canonicalHash(envelope) });
}

interface CoagentStart extends Pick<RunPlan, 'envelope' | 'envelopeHash'>, CoagentRound {
  /** The stored run of an earlier attempt; null if it is not queued yet. */
  row: RunRow | null;
}

async function live(served: Run, start: CoagentStart): Promise<Heard> {
  const { workflow, signal, ids } = served;
  const { runId } = start.handoff;
  const { agent } = start.envelope;
  const { controller, unlink } = linkedController(signal);
  const run = { runId, parentRunId: ids.runId, agent, title: agent, controller };
  const heard = await workflow.runs.live(run, (one) => execute(served, one, start)).finally(unlink);
  if (signal.aborted) throw stopOf(signal);
  if (heard.outcome === 'interrupted') throw new TriadError('interrupted', heard.error?.message ?? 'Interrupted');
  return heard;
}

async function execute(
  served: Run,
  one: LiveRun,
  { handoff, prior, row, envelope, envelopeHash }: CoagentStart,
): Promise<Heard> {
  const { engine, workflow, plan } = served;
  const { agent } = envelope;
  const ids = { ...served.ids, runId: one.runId, parentRunId: served.ids.runId, agent };
  const recorder = new Recorder(engine.log, engine.open, ids, row?.usage ?? ZERO_TALLY, workflow.record);
  const chain = [...plan.chain, agent];
  if (!row)
    void recorder.record({
      type: 'run-queue',
      kind: 'coagent',
      depth: plan.depth,
      name: agent,
      title: agent,
      task: handoff.prompt,
      toolCallId: null,
      item: 0,
      place: handoff.round,
      parentChain: chain,
      traceId: traceIdOf(one.runId),
      envelope,
      envelopeHash,
    });
  const stored = await loadStored(engine.store, row, []);
  const ended = await executeRun(
    { engine, workflow, live: one },
    {
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
      queuedMs: row ? Math.max(0, Date.now() - Date.parse(row.queuedAt)) : 0,
      queueDepth: 0,
    },
  );
  // The run appends its entries to this list.
  return { ...ended, entries: stored.entries };
}
