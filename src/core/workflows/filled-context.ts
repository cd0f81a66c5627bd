/** Measures the parts of the context of a conversation's lead after its last response or compaction. */
import type { ContextPart } from '#contract/context/context-methods.ts';
import type { CompactionEntry } from '#contract/message.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { buildSystemPrompt } from '../agents/system-prompt.ts';
import { holding, lastCompaction, type Told } from '#core/store/log/told.ts';
import { lastResponse, Transcript } from '#core/store/log/transcript.ts';
import { contextParts } from '#core/runs/loop/context-parts.ts';
import { toolsIn } from '../mcp/mcp-tool.ts';
import type { ToolSpec } from '../model/model.ts';
import { agentToolsOf } from '../runs/agent-tools.ts';
import type { Engine } from '../runs/engine.ts';
import { loadPriorEntries } from '#core/store/log/earlier-leads.ts';
import type { LiveRun } from '#core/runs/workflow/run-tree.ts';
import { selectSentTools, specsOf, usableTools } from '../runs/sent-tools.ts';
import { limitsIn } from './opening.ts';
import type { Orchestrator } from './orchestrator.ts';

/** Number of workflows that are read. Older ones change only the shares of the parts, not their sum. */
const RECENT = 200;

/** Returns the parts for the newest lead with a response; empty without one. Uses the live context of a working lead. */
export async function filledContext(
  engine: Engine,
  orchestrator: Orchestrator,
  conversationId: string,
): Promise<ContextPart[]> {
  const { store, log } = engine;
  await log.flush();
  const { items } = await store.workflows({ conversationId, limit: RECENT });
  for (const [at, workflow] of items.entries()) {
    const run = await store.run(workflow.runId);
    if (!run?.contextTokens) continue;
    const active = orchestrator.active().find(({ id }) => id === workflow.id);
    const { entries, prior, tools } =
      fromLiveRun(active?.runs.get(workflow.runId)?.context) ??
      (await loadEnded(engine, run, workflow, items.slice(at + 1)));
    // Excludes newer entries: the provider has not counted them yet.
    const last = Math.max(lastResponse(entries)?.n ?? -1, lastCompaction(entries)?.n ?? -1);
    const request = { system: buildSystemPrompt(run.envelope), tools: await tools() };
    return contextParts({ prior, entries: entries.filter(({ n }) => n <= last) }, request, run.contextTokens);
  }
  return [];
}

type FilledContext = Told & { tools: () => Promise<ToolSpec[]> };

function fromLiveRun(context: LiveRun['context'] | undefined): FilledContext | null {
  if (!context) return null;
  const { prior, history, tools } = context;
  return { prior, entries: [...history.entries], tools };
}

/** Loads the context of an ended lead. `earlier`: earlier workflows, newest first. */
async function loadEnded(
  engine: Engine,
  run: RunRow,
  workflow: WorkflowRow,
  earlier: readonly WorkflowRow[],
): Promise<FilledContext> {
  const entries = await engine.store.entriesOf(run.id);
  const prior: Told['prior'][number][] = [];
  let compaction = holding(entries);
  for (const row of earlier) {
    const history = new Transcript(
      compaction && replaces(compaction, row) ? [] : await loadPriorEntries(engine.store, row),
    );
    compaction ??= holding(history.entries);
    prior.unshift({ runId: row.runId, history });
  }
  return { prior, entries, tools: () => loadTools(engine, run, workflow) };
}

/** Returns true if the compaction replaces all entries of an earlier workflow, which had completed without open calls. */
function replaces({ at, priorRuns }: CompactionEntry, { runId, outcome, endedAt }: WorkflowRow): boolean {
  return priorRuns.includes(runId) && outcome === 'completed' && endedAt !== null && endedAt < at;
}

/** Returns the tools of an ended lead, from the current agents, rules and settings. */
async function loadTools(engine: Engine, run: RunRow, { approve }: WorkflowRow): Promise<ToolSpec[]> {
  const { agents, envelopes, tools } = engine;
  const { envelope, kind, id: runId, ...of } = run;
  const known = await agents.of(envelope.folder);
  const registry = toolsIn(tools, envelope).with(agentToolsOf(known, envelope.tools));
  const plan = { kind, envelope, recorder: { ids: { ...of, runId } } };
  const asker = { engine, workflow: { approve }, plan };
  const offered = await usableTools(registry.offered(envelope.tools, true), asker);
  const limits = await limitsIn(engine, envelope.folder);
  const specs = await specsOf(registry, offered, asker, {
    setup: envelopes.setup(envelope.provider),
    maxSubAgents: limits().max_sub_agents,
  });
  const { names } = selectSentTools(specs);
  return specs.filter(({ name }) => names.has(name));
}
