/** What fills the context of a conversation's lead, as its last response or compaction left it. */
import type { ContextPart } from '#contract/context/context-methods.ts';
import type { CompactionEntry } from '#contract/message.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { buildSystemPrompt } from '../agents/system-prompt.ts';
import { holding, lastCompaction, type Told } from '../log/told.ts';
import { lastResponse, Transcript } from '../log/transcript.ts';
import { contextParts } from '../loop/context-parts.ts';
import { toolsIn } from '../mcp/mcp-tool.ts';
import type { ToolSpec } from '../model/model.ts';
import { agentToolsOf } from '../runs/agent-tools.ts';
import type { Engine } from '../runs/engine.ts';
import { toolQuestionsOf } from '../runs/questions.ts';
import type { LiveRun } from '../runs/run-tree.ts';
import { selectSentTools, specsOf, toldOf } from '../runs/told-tools.ts';
import { loadPriorEntries } from './lead.ts';
import { limitsIn } from './opening.ts';
import type { Orchestrator } from './orchestrator.ts';

/** Earlier workflows that are looked at: what is told of those before them moves the shares, and not their sum. */
const RECENT = 200;

/** Of the newest lead that is told and has had a response; none where there is no such. Of one that works, what it has in hand. */
export async function filledContext(
  engine: Engine,
  orchestrator: Orchestrator,
  conversationId: string,
): Promise<ContextPart[]> {
  const { store, log } = engine;
  await log.flush();
  const { items } = await store.workflows({ conversationId, limit: RECENT });
  const told = items.filter(({ left }) => !left);
  for (const [at, workflow] of told.entries()) {
    const run = await store.run(workflow.runId);
    if (!run?.contextTokens) continue;
    const active = orchestrator.active().find(({ id }) => id === workflow.id);
    const { entries, prior, tools } =
      inHand(active?.runs.get(workflow.runId)?.context) ?? (await atRest(engine, run, workflow, told.slice(at + 1)));
    // What came since is in the next request only, and not in what its provider counted.
    const last = Math.max(lastResponse(entries)?.n ?? -1, lastCompaction(entries)?.n ?? -1);
    const request = { system: buildSystemPrompt(run.envelope), tools: await tools() };
    return contextParts({ prior, entries: entries.filter(({ n }) => n <= last) }, request, run.contextTokens);
  }
  return [];
}

type Filled = Told & { tools: () => Promise<ToolSpec[]> };

function inHand(context: LiveRun['context'] | undefined): Filled | null {
  if (!context) return null;
  const { prior, history, tools } = context;
  return { prior, entries: [...history.entries], tools };
}

/** `earlier`: newest first. */
async function atRest(
  engine: Engine,
  run: RunRow,
  workflow: WorkflowRow,
  earlier: readonly WorkflowRow[],
): Promise<Filled> {
  const entries = await engine.store.entriesOf(run.id);
  const prior: Told['prior'][number][] = [];
  let compaction = holding(entries);
  for (const row of earlier) {
    const history = new Transcript(
      compaction && standsFor(compaction, row) ? [] : await loadPriorEntries(engine.store, row),
    );
    compaction ??= holding(history.entries);
    prior.unshift({ runId: row.runId, history });
  }
  return { prior, entries, tools: () => toolsAtRest(engine, run, workflow) };
}

/** Whether it stands for all that an earlier workflow said: that had completed, so no call of it was open. */
function standsFor({ at, priorRuns }: CompactionEntry, { runId, outcome, endedAt }: WorkflowRow): boolean {
  const isKnown = !priorRuns || priorRuns.includes(runId);
  return isKnown && outcome === 'completed' && endedAt !== null && endedAt < at;
}

/** As agents, rules and settings are now. */
async function toolsAtRest(engine: Engine, run: RunRow, { approve }: WorkflowRow): Promise<ToolSpec[]> {
  const { agents, envelopes, tools } = engine;
  const { envelope, kind, id: runId, ...of } = run;
  const known = await agents.of(envelope.folder);
  const registry = toolsIn(tools, envelope).with(agentToolsOf(known, envelope.tools));
  const plan = { kind, envelope, recorder: { ids: { ...of, runId } } };
  const questions = toolQuestionsOf({ engine, workflow: { approve }, plan });
  const offered = await toldOf(registry.offered(envelope.tools, true), questions);
  const limits = await limitsIn(engine, envelope.folder);
  const specs = await specsOf(registry, offered, questions, {
    setup: envelopes.setup(envelope.provider),
    maxSubAgents: limits().max_sub_agents,
  });
  const { names } = selectSentTools(specs);
  return specs.filter(({ name }) => names.has(name));
}
