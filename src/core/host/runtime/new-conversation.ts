/** What a new conversation is made of: its row, which its first message or a method of its own stores. */
import type { AgentDefinition } from '#contract/agent.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import type { Parsed } from '#contract/rpc.ts';
import type { ConversationRow } from '#contract/view.ts';
import type { AgentRegistry } from '#core/agents/registry.ts';
import { canonicalFolder } from '#core/base/disk-lookups.ts';
import { mustExist, TriadError } from '#core/base/errors.ts';
import { newId } from '#core/base/ids.ts';
import type { Engine } from '#core/runs/engine.ts';
import { leadProvider } from '#core/runs/envelopes/provider-choice.ts';
import { leadNamed } from '#core/workflows/lead.ts';

/** `home`: the default folder. Rejects with `not_found` for an agent that cannot be talked to there, or no such folder. */
export async function newConversation(
  engine: Engine,
  id: string,
  { folder, agent = 'lead' }: { folder?: string | undefined; agent?: string | undefined },
  home: string,
): Promise<{ row: ConversationRow; lead: AgentDefinition }> {
  const place = await canonicalFolder(folder ?? home);
  await engine.workspaces.roots.pin(place);
  const lead = leadNamed(await refuseUnknown(engine, place, agent), agent);
  const at = new Date().toISOString();
  const row = { id, title: '', folder: place, agent, createdAt: at, updatedAt: at, lastSeq: 0, usage: ZERO_TALLY };
  return { row, lead };
}

/** One that waits for its first message. */
export async function createConversation(
  engine: Engine,
  { provider, ...given }: Parsed<'conversation.create'>,
  home: string,
): Promise<ConversationRow> {
  const { store, log, settings } = engine;
  const { row, lead } = await newConversation(engine, newId(), given, home);
  // Before anything is created: without its provider no message could be sent.
  await engine.model(leadProvider(lead, { provider }, settings.providers.active));
  await log.begin(row);
  return mustExist(store.conversation(row.id), 'The new conversation was not stored');
}

/** The agents there; throws `not_found` for one that cannot be talked to there. */
export async function refuseUnknown({ agents }: Engine, folder: string, agent: string): Promise<AgentRegistry> {
  const registry = await agents.of(folder);
  if (!registry.lookup(agent)) {
    const usable = registry.list({ enabled: true }).map(({ name }) => name);
    const hint = registry.untrusted.length > 0 ? ' (files of this folder are not trusted: see "triad trust")' : '';
    throw new TriadError(
      'not_found',
      `agent not found: "${agent}". Those that can be talked to are: ${usable.join(', ')}${hint}`,
    );
  }
  return registry;
}
