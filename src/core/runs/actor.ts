/** Who would make a call that is explained: an agent as it was started in a workflow, or as it would be started now. */
import { type AgentDefinition, AgentName, type Envelope } from '#contract/agent.ts';
import type { RunRow } from '#contract/view.ts';
import type { Engine } from './engine.ts';
import { TriadError } from '../base/errors.ts';
import { scopeOf, temporaryNameOf } from './memory.ts';
import type { ChildRequest } from '../tools/children.ts';
import { delegationRequest } from '../tools/sub-agent-tools.ts';

type Parts = Pick<Engine, 'agents' | 'envelopes' | 'mcp' | 'settings' | 'store'>;

export interface Asked {
  /** Of a temporary agent its name, where it was started, or `spawned:` and its name. */
  agent: string;
  folder: string;
  conversationId: string | null;
  workflowId: string | null;
  /** Who would lead the agent. */
  lead: string;
}

export interface Actor {
  agent: string;
  /** What grants and rules that allow are held against. */
  scope: string;
  /** Whether it may start sub-agents. */
  leads: boolean;
  envelope: Envelope;
}

/** Workflows of a conversation in which a temporary agent is looked for. */
const NEWEST = 20;

/** Throws for an agent that cannot be used, or asks for more than its lead has. */
export async function actorOf(parts: Parts, asked: Asked): Promise<Actor> {
  const { agent, lead, folder } = asked;
  if (asked.workflowId !== null) {
    const started = startedAs(agent, await parts.store.runsOf([asked.workflowId]));
    if (started) return started;
  }
  const agents = await parts.agents.of(folder);
  // A server that was never heard is not started for this.
  const leading = async (by: AgentDefinition): Promise<Envelope> =>
    parts.envelopes.lead(by, PROMPT, folder, parts.settings.limits, await parts.mcp.heardOffers(folder));
  const definition = agents.lookup(agent);
  // Who is talked to in a conversation is no sub-agent there, whatever its role.
  if (definition && (definition.role === 'primary' || agent === lead))
    return { agent, scope: agent, leads: true, envelope: await leading(definition) };
  const known = definition ? null : startedAs(agent, await temporaryRuns(parts, asked));
  if (known) return known;
  const parent = await leading(mustLead(agents.lookup(lead), lead));
  const name = temporaryNameOf(agent);
  if (name !== null && !AgentName.safeParse(name).success)
    throw new TriadError('not_found', `agent not found: "${agent}" cannot be the name of a temporary agent`);
  const request = delegationRequest(agent, PROMPT, undefined);
  const wanted: ChildRequest = name === null ? request : { ...request, agent: null, name };
  const envelope = parts.envelopes.child(wanted, parent, agents);
  return { agent: name ?? agent, scope: agent, leads: false, envelope };
}

/** An envelope has one; what stands in it makes no difference to what is allowed. */
const PROMPT = '-';

/** The newest run of the agent; of a temporary one only where none of a defined one has the name. */
function startedAs(agent: string, runs: readonly RunRow[]): Actor | null {
  const isDefined = (run: RunRow): boolean => run.kind !== 'spawn' && run.agent === agent;
  const name = temporaryNameOf(agent) ?? agent;
  const run = runs.findLast(isDefined) ?? runs.findLast((one) => one.kind === 'spawn' && one.agent === name);
  if (!run) return null;
  const { kind, parentRunId, envelope } = run;
  return { agent: run.agent, scope: scopeOf(run.agent, kind), leads: parentRunId === null, envelope };
}

/** Those that the conversation has started lately. */
async function temporaryRuns({ store }: Parts, { conversationId }: Asked): Promise<RunRow[]> {
  if (conversationId === null) return [];
  const { items } = await store.workflows({ conversationId, limit: NEWEST });
  const runs = await store.runsOf(items.map(({ id }) => id));
  return runs.filter(({ kind }) => kind === 'spawn').sort((a, b) => (a.id < b.id ? -1 : 1));
}

function mustLead(definition: AgentDefinition | null, name: string): AgentDefinition {
  if (definition?.role === 'primary') return definition;
  throw new TriadError('not_found', `agent not found: "${name}" cannot lead a conversation`);
}
