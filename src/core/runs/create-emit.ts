/** Records what a run does and counts it: against the bounds, at the provider, and for the receipt of a stop. */
import type { Engine } from './engine.ts';
import type { Emit, Payload } from '../log/recorder.ts';
import type { RunPlan } from './run-plan.ts';
import type { WorkClock } from '../base/work-clock.ts';
import type { LiveRun } from './run-tree.ts';
import { isAgentTool } from '../tools/agents/agent-tool.ts';
import { tellUnpriced } from './tell-unpriced.ts';
import type { WorkflowScope } from './workflow-scope.ts';

interface Parts {
  engine: Engine;
  workflow: WorkflowScope;
  plan: RunPlan;
  /** Of the run. */
  clock: WorkClock;
}

export function createEmit({ engine, workflow, plan, clock }: Parts): Emit {
  const { recorder, envelope } = plan;
  const { budget } = workflow;
  const { runId } = recorder.ids;
  // Sub-agents are counted as agents where a stop tells what it ended.
  const startsAgents = (tool: string): boolean => isAgentTool(tool) || engine.tools.get(tool)?.recovery === 'continue';
  const underWay = { requests: new Set<string>(), tools: new Set<string>() };
  return (payload) => {
    const worked = { runMs: clock.ms, workflowMs: budget.clock.ms };
    const stored = recorder.record(payload.type === 'usage' ? { ...payload, worked } : payload);
    if (payload.type === 'usage') {
      budget.counted(runId, payload.request);
      engine.requests.limiter(envelope.provider).attemptEnded(payload.request.error);
      tellUnpriced({ engine, workflow, plan }, payload.request);
    }
    const live = workflow.runs.get(runId);
    if (live) track(live, underWay, payload, startsAgents);
    return Promise.resolve({ stored });
  };
}

/** Others may tell of the same run: each adds and takes away what is its own. */
function track(
  live: LiveRun,
  { requests, tools }: { requests: Set<string>; tools: Set<string> },
  payload: Payload,
  startsAgents: (tool: string) => boolean,
): void {
  const before = { requests: requests.size, tools: tools.size };
  if (payload.type === 'turn-start') requests.add('turn');
  else if (payload.type === 'request-start' && payload.purpose !== undefined) requests.add(payload.request.requestId);
  else if (payload.type === 'usage')
    requests.delete(payload.request.purpose === undefined ? 'turn' : payload.request.requestId);
  else if (payload.type === 'tool-end') tools.delete(payload.entry.toolCallId);
  else if (payload.type === 'tool-start' && !startsAgents(payload.name)) tools.add(payload.toolCallId);
  live.requests += requests.size - before.requests;
  live.tools += tools.size - before.tools;
}
