/** What choosing an agent as lead would run, before anything is said to it. */
import type { LeadPreview } from '#contract/approval.ts';
import type { Engine } from '../runs/engine.ts';
import { checkInputContract } from '#core/runs/envelopes/envelope-parts.ts';
import { worstCase } from '#core/runs/envelopes/worst-case.ts';
import type { Settings } from '../settings/settings.ts';
import { leadNamed } from './lead.ts';

interface PreviewSubject {
  folder: string;
  agent: string;
  limits: Settings['limits'];
  /** The first message, if it is known. */
  prompt?: string | undefined;
}

/**
 * As its files are now; a server that was never heard is not started for this. Throws for an agent that cannot lead
 * there, and for a prompt that breaks its contract.
 */
export async function previewLead(
  engine: Engine,
  { folder, agent, limits, prompt }: PreviewSubject,
): Promise<LeadPreview> {
  const { agents: folders, envelopes, mcp } = engine;
  const [agents, offers] = await Promise.all([folders.of(folder), mcp.heardOffers(folder)]);
  const lead = leadNamed(agents, agent);
  if (prompt !== undefined) checkInputContract(lead.name, lead.input, prompt);
  const envelope = envelopes.lead(lead, null, folder, limits, offers, agents);
  return { envelope, worst: worstCase(envelope, engine) };
}
