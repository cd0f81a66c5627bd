/** Whether an execution can be had again as it was: its stored envelope, held against what its lead would have now. */
import { type AgentDefinition, type Coagent, Envelope } from '#contract/agent.ts';
import { allServing } from '#contract/flows/serving-text.ts';
import type { RunRow } from '#contract/view.ts';
import type { AgentRegistry } from '../../agents/registry.ts';
import { TriadError } from '../../base/errors.ts';
import { canonicalHash } from '../../base/hash.ts';
import type { Engine } from '../../runs/engine.ts';
import { checkCeilings } from '../../runs/narrowing.ts';
import type { Settings } from '../../settings/settings.ts';

type Parts = Pick<Engine, 'envelopes' | 'model' | 'capabilities'>;

/** What holds now: what the lead would have, whose sub-agent it was, and the agents and limits of its folder. */
interface Now {
  parent: Envelope;
  agents: AgentRegistry;
  limits: Settings['limits'];
}

/** Throws `envelope_mismatch` for an envelope that cannot be read, or is not the one that it was started with. */
export function storedEnvelope({ envelope, envelopeHash }: Pick<RunRow, 'envelope' | 'envelopeHash'>): Envelope {
  if (Envelope.safeParse(envelope).success && canonicalHash(envelope) === envelopeHash) return envelope;
  throw new TriadError(
    'envelope_mismatch',
    'The stored settings of this run are not those that it was started with: it cannot be run again',
  );
}

/** Throws where anything of it, or of what serves it, is not there any more, or would be more than it may have now. */
export async function heldAgainstNow(parts: Parts, envelope: Envelope, now: Now): Promise<void> {
  refuseUntold(envelope, now.agents);
  const served = allServing(envelope);
  for (const part of served) definitionOf(part, now.agents);
  for (const { provider } of [envelope, ...served]) await parts.model(provider);
  refuseOther(parts, envelope, now.parent, now.limits);
  // What serves a run was made like a child of it.
  for (const part of served) refuseOther(parts, { ...part, prompt: '-', stages: [] }, envelope, now.limits);
}

/** Throws where nobody has trusted what a project says, or its agent, who is not there. */
export function refuseUntold(envelope: Envelope, agents: AgentRegistry): void {
  if (envelope.definitionHash !== null) definitionOf(envelope, agents);
  for (const { path } of envelope.instructions ?? []) {
    if (agents.instructions.some((one) => one.path === path)) continue;
    throw new TriadError(
      'not_allowed',
      `${envelope.agent} was told what ${path} says, which is not there or not trusted now: see "triad trust"`,
    );
  }
}

/** By its name; a temporary agent that was based on one has another, and the hash of that one's file. */
function definitionOf({ agent, definitionHash }: Coagent, agents: AgentRegistry): AgentDefinition {
  const found = agents.lookup(agent) ?? agents.list({ enabled: true }).find(({ hash }) => hash === definitionHash);
  if (found) return found;
  const hint = agents.untrusted.length > 0 ? ' (files of this folder are not trusted: see "triad trust")' : '';
  throw new TriadError('not_found', `agent not found: "${agent}"${hint}`);
}

/** No limit is let through because it was asked for before. */
const LEAST = { maxIterations: 1, inactivityMs: 1000, budget: { tokens: 0 } } as const;

/** As an edit that changes nothing: what the person may not write there, it may not have either. */
function refuseOther(
  { envelopes, capabilities }: Parts,
  envelope: Envelope,
  parent: Envelope,
  limits: Settings['limits'],
): void {
  const { agent, folder, provider, model } = envelope;
  if (folder !== parent.folder)
    throw new TriadError('not_allowed', `${agent} worked in ${folder}, and not in ${parent.folder}`);
  checkCeilings(envelope, { ...envelope, limits: LEAST }, limits, capabilities(provider, model));
  const now: Record<string, unknown> = envelopes.edited(envelope, envelope, parent, limits).value;
  const before: Record<string, unknown> = { ...envelope };
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const other = names.filter((name) => canonicalHash(before[name] ?? null) !== canonicalHash(now[name] ?? null));
  if (other.length === 0) return;
  throw new TriadError(
    'not_allowed',
    `${agent} cannot have again what it had: ${other.join(', ')} would be something else now`,
  );
}
