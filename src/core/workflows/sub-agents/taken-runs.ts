/** Sub-agents that a fork takes whole from where it was forked: recorded as they ended there, without anything being run. */
import type { Cached, Entry } from '#contract/message.ts';
import { isReported, isServing } from '#contract/flows/serving.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import type { RunRow } from '#contract/view.ts';
import { newId, traceIdOf } from '../../base/ids.ts';
import { usageOf } from '../../base/usage.ts';
import { chainsIn, linkOf, runChain } from '../../flows/chain.ts';
import type { Recorder } from '../../log/recorder.ts';
import type { FinishedRun } from '../../log/step-cache.ts';
import { entryPayload, withoutUndo } from '../../loop/taken.ts';
import type { Engine } from '../../runs/engine.ts';
import type { RunPlan } from '../../runs/run-plan.ts';
import { editWords } from '../../tools/edit-words.ts';
import type { ChildReport } from '../../tools/children.ts';
import { imagesIn } from '../taken-over.ts';
import { reportOf } from './report.ts';
import type { Workflow } from '../workflow.ts';

/** `stored`: what a crash left of it. */
type Place = Pick<RunRow, 'id' | 'parentRunId' | 'toolCallId' | 'item'> & { stored: RunRow | null };

interface Parts {
  engine: Pick<Engine, 'outputs'>;
  workflow: Pick<Workflow, 'subAgents'>;
  plan: Pick<RunPlan, 'recorder'>;
}

/** Records it with all that served it; all at once, so that a crash leaves all or none of a small one. */
export function takeRun(
  parts: Parts,
  found: FinishedRun,
  place: Place,
  recorderOf: (run: Place & { agent: string }) => Recorder,
): void {
  const { row, entries, below } = found;
  const ids = new Map(below.map((one) => [one.row.id, newId()]));
  const recorder = recorderOf({ ...place, agent: row.agent });
  const cached: Cached = { ...found.paid, key: found.asked };
  const { envelope, envelopeHash, kind, depth, name, title, task, parentChain, text, reviews } = row;
  const { toolCallId, item, stored } = place;
  const attempt = (stored?.attempt ?? 0) + 1;
  const usage = usageOf(ZERO_TALLY);
  if (!stored)
    void recorder.record({
      ...{ type: 'run-queue', kind, depth, name, title, task, toolCallId, item, parentChain },
      ...(row.place && { place: row.place }),
      ...{ traceId: traceIdOf(place.id), envelope, envelopeHash, cached },
    });
  const serves = isServing(row) ? { serves: true as const } : {};
  void recorder.record({ type: 'run-start', attempt, envelope, envelopeHash, queuedMs: 0, ...serves, cached });
  const at = new Date().toISOString();
  for (const entry of entries) void recorder.record(entryPayload(takenEntry(entry, found.paid, at, ids)));
  for (const one of below) {
    const id = ids.get(one.row.id) ?? '';
    const toCall = one.row.kind === 'chain' ? { toolCallId, item } : { toolCallId: null, item: 0 };
    takeRun(parts, one, { id, parentRunId: place.id, ...toCall, stored: null }, recorderOf);
  }
  const end = { outcome: 'completed' as const, text, error: null, durationMs: 0, usage };
  void recorder.record({ type: 'run-end', ...end, ...(reviews && { reviews }), entries: entries.length, cached });
  const { engine, workflow, plan } = parts;
  for (const { sha256 } of imagesIn({ workflow: {}, entries }))
    void engine.outputs.copyImage(row.conversationId, plan.recorder.ids.conversationId, sha256).catch(() => undefined);
  if (!isReported(row)) return;
  const summary = { runId: place.id, agent: row.agent, kind, durationMs: 0, usage };
  workflow.subAgents.add({ ...summary, status: 'completed', outcome: 'completed' });
}

/** What its lead is told of it: as it was told there. */
export async function reportOfTaken(
  { row, asked, edited, envelope, below }: FinishedRun,
  id: string,
): Promise<ChildReport> {
  const stages = chainsIn(below.map((one) => one.row)).get(row.id) ?? [];
  const approved = { envelope: row.envelope, envelopeHash: row.envelopeHash };
  const end = await runChain(linkOf(row), approved, ({ place }) => Promise.resolve(linkOf(stages[place - 1]!)));
  const said = new Map([row, ...stages].map((run) => [run.id, run.said ?? []]));
  const report = reportOf(end, { of: (runId) => said.get(runId) ?? [] });
  return { ...report, runId: id, edits: asked === row.envelopeHash ? null : editWords(envelope, edited) };
}

function takenEntry(entry: Entry, paid: Cached, at: string, ids: ReadonlyMap<string, string>): Entry {
  const cached = entry.cached ?? paid;
  if (entry.kind === 'tool') return { ...withoutUndo(entry), durationMs: 0, at, cached };
  if (entry.kind === 'assistant') return { ...entry, messageId: newId(), at, cached };
  if (entry.kind === 'handoff') return { ...entry, runId: ids.get(entry.runId ?? '') ?? entry.runId, at, cached };
  return { ...entry, at, cached };
}
