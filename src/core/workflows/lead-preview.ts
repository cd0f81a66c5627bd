/** What choosing an agent as lead would run, before anything is said to it. */
import type { LeadPreview } from '#contract/approval.ts';
import type { Engine } from '../runs/engine.ts';
import { worstCase } from '../runs/worst-case.ts';
import type { Settings } from '../settings/settings.ts';
import { leadNamed } from './lead.ts';

/** As its files are now; a server that was never heard is not started for this. Throws for an agent that cannot lead there. */
export async function previewLead(
  engine: Engine,
  { folder, agent, limits }: { folder: string; agent: string; limits: Settings['limits'] },
): Promise<LeadPreview> {
  const { agents: folders, envelopes, mcp } = engine;
  const [agents, offers] = await Promise.all([folders.of(folder), mcp.heardOffers(folder)]);
  const envelope = envelopes.lead(leadNamed(agents, agent), null, folder, limits, offers, agents);
  return { envelope, worst: worstCase(envelope, engine) };
}
