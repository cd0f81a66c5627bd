/** What the rpc handlers use. */
import type { OpenApprovals } from '#core/approvals/open-approvals.ts';
import type { SessionProjector } from '../records/sessions/projector.ts';
import type { Engine } from '#core/runs/engine.ts';
import type { Orchestrator } from '#core/workflows/orchestrator.ts';

export interface Services {
  readonly engine: Engine;
  readonly orchestrator: Orchestrator;
  readonly approvals: OpenApprovals;
  readonly sessions: SessionProjector;
}
