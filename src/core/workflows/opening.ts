/** A workflow that is about to start, and how that is recorded. */
import type { ApprovePolicy, Budget, Envelope } from '#contract/agent.ts';
import type { RequestUsage } from '#contract/event.ts';
import type { Image } from '#contract/message.ts';
import type { LeadChoice } from '#contract/messages/sending.ts';
import type { Tally } from '#contract/outcome.ts';
import type { Door } from '#contract/telemetry/door.ts';
import type { RunRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import type { Engine } from '../runs/engine.ts';
import { loweredLimits } from '../settings/project-config.ts';
import type { Settings } from '../settings/settings.ts';
import type { Lead } from './lead.ts';

/** For the first time or again. */
export interface Opening {
  id: string;
  conversationId: string;
  leadRunId: string;
  prompt: string;
  approve: ApprovePolicy;
  images?: Image[];
  chosen?: LeadChoice;
  via?: Door | undefined;
  /** The id that its sender gave the message. */
  sentAs?: string | undefined;
  /** 1 for a new one. */
  attempt: number;
  agents: AgentRegistry;
  limits: () => Settings['limits'];
  envelope: Envelope;
  envelopeHash: string;
  /** As of a lead that is new. */
  offered?: Lead['offered'];
  /** What of MCP servers the lead goes without, and why. */
  notices?: readonly string[];
  budget: Budget;
  /** What earlier attempts left: its runs, the lead's among them, and what they used. */
  runs: readonly RunRow[];
  tally: Tally;
  workedMs: number;
  requests: readonly (RequestUsage & { runId: string })[];
}

/** What is the same of all that are new. */
export const FRESH = { attempt: 1, runs: [], tally: ZERO_TALLY, workedMs: 0, requests: [] } as const;

/** What came with a message stands in its first start alone. */
export function startOf({ prompt, approve, attempt, budget, images, chosen, via, sentAs }: Opening) {
  const about = {
    ...(images && { images }),
    ...(chosen && { chosen }),
    ...(via && { via }),
    ...(sentAs && { sentAs }),
  };
  const sent = attempt > 1 ? {} : about;
  // Left out where nothing is bounded.
  const bounds = Object.keys(budget).length > 0 ? { budget } : {};
  return { type: 'workflow-start' as const, prompt, approve, attempt, ...bounds, ...sent };
}

/** The limits that hold in a folder: the person's as they are whenever this is asked, and its project's as they are now. */
export async function limitsIn(
  { permissions, settings }: Pick<Engine, 'permissions' | 'settings'>,
  folder: string,
): Promise<() => Settings['limits']> {
  const { project } = await permissions.rules(folder);
  return () => loweredLimits(settings.limits, project);
}
