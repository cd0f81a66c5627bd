/** What the loop of one run is made from. */
import type { Watchdog } from '../base/watchdog.ts';
import type { WorkClock } from '../base/work-clock.ts';
import type { Transcript } from '../log/transcript.ts';
import type { RunContext } from '../loop/run-context.ts';
import type { McpAccess } from '../mcp/mcp-tool.ts';
import type { RunShell } from '../workspace/shell/run-shell.ts';
import type { Engine } from './engine.ts';
import type { LeadChildren, RunPlan } from './run-plan.ts';
import type { WorkflowScope } from './workflow-scope.ts';

export interface Parts {
  engine: Engine;
  workflow: WorkflowScope;
  plan: RunPlan;
  signal: AbortSignal;
  history: Transcript;
  watchdog: Watchdog;
  clock: WorkClock;
  model: RunContext['model'];
  children: LeadChildren | null;
  /** The commands of the run; who made it ends them. */
  shell: RunShell;
  /** Its MCP servers; likewise. */
  mcp: McpAccess;
}
