/** Records the events of a run, and counts its requests and tools for limits, for the provider and for a stop. */
import type { Engine } from './engine.ts';
import type { Emit, Payload } from '#core/store/log/recorder.ts';
import type { RunPlan } from './run-plan.ts';
import type { WorkClock } from '../base/work-clock.ts';
import type { LiveRun } from './workflow/run-tree.ts';
import { isAgentTool } from '../tools/agents/agent-tool.ts';
import { recordUnpricedNotice } from './model-notices.ts';
import type { Workflow } from './workflow/workflow.ts';

interface Parts {
  engine: Engine;
  workflow: Workflow;
  plan: RunPlan;
  clock: WorkClock;
}

export function createEmit({ engine, workflow, plan, clock }: Parts): Emit {
  const { recorder, envelope } = plan;
  const { budget } = workflow;
  const { runId } = recorder.ids;
  // A stop counts sub-agents as agents, not as tools.
  const startsAgents = (tool: string): boolean => isAgentTool(tool) || engine.tools.get(tool)?.recovery === 'continue';
  const underWay = { requests: new Set<string>(), tools: new Set<string>() };
  return (payload) => {
    const worked = { runMs: clock.ms, workflowMs: budget.clock.ms };
    const stored = recorder.record(payload.type === 'usage' ? { ...payload, worked } : payload);
    if (payload.type === 'usage') {
      budget.counted(runId, payload.request);
      engine.requests.limiter(envelope.provider).attemptEnded(payload.request.error);
      recordUnpricedNotice({ engine, workflow, plan }, payload.request);
    }
    const live = workflow.runs.get(runId);
    if (live) track(live, underWay, payload, startsAgents);
    return Promise.resolve({ stored });
  };
}

/** Updates the numbers of requests and tools that a stop would end. */
function track(
  live: LiveRun,
  { requests, tools }: { requests: Set<string>; tools: Set<string> },
  payload: Payload,
  startsAgents: (tool: string) => boolean,
): void {
  if (payload.type === 'turn-start') requests.add('turn');
  else if (payload.type === 'request-start' && payload.purpose !== undefined) requests.add(payload.request.requestId);
  else if (payload.type === 'usage')
    requests.delete(payload.request.purpose === undefined ? 'turn' : payload.request.requestId);
  else if (payload.type === 'tool-end') tools.delete(payload.entry.toolCallId);
  else if (payload.type === 'tool-start' && !startsAgents(payload.name)) tools.add(payload.toolCallId);
  live.requests = requests.size;
  live.tools = tools.size;
}
