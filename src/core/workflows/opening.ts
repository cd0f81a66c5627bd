/** A workflow that is about to start, and how that is recorded. */
import type { ApprovePolicy, Budget, Envelope } from '#contract/agent.ts';
import type { RequestUsage } from '#contract/event.ts';
import type { Image } from '#contract/message.ts';
import type { LeadChoice } from '#contract/messages/sending.ts';
import type { Tally } from '#contract/outcome.ts';
import type { Door } from '#contract/telemetry/door.ts';
import type { RunRow } from '#contract/view.ts';
import type { AgentRegistry } from '../agents/registry.ts';
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

/** What came with a message stands in its first start alone. */
export function startOf({ prompt, approve, attempt, budget, images, chosen, via }: Opening) {
  const sent = attempt > 1 ? {} : { ...(images && { images }), ...(chosen && { chosen }), ...(via && { via }) };
  // Left out where nothing is bounded.
  const bounds = Object.keys(budget).length > 0 ? { budget } : {};
  return { type: 'workflow-start' as const, prompt, approve, attempt, ...bounds, ...sent };
}
