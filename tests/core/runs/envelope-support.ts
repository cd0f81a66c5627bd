/** Envelopes of leads and sub-agents, made as a workflow makes them. */
import type { AgentDefinition, Envelope, McpOffer } from '#contract/agent.ts';
import { AgentRegistry } from '#core/agents/registry.ts';
import { ModelLists } from '#core/model/model-lists.ts';
import { ModelRules } from '#core/model/model-rules.ts';
import { Envelopes } from '#core/runs/envelopes/envelopes.ts';
import { allTools } from '#core/tools/all-tools.ts';
import type { ChildRequest } from '#core/tools/children.ts';
import { ToolRegistry } from '#core/tools/registry.ts';
import { delegationRequest } from '#core/tools/sub-agent-tools.ts';
import { definitionOf } from '../../support/envelope.ts';
import { settingsOf } from '../../support/settings/settings-of.ts';

export const registry = new ToolRegistry(allTools());
/** Those of an agent that names none. */
export const unnamed = (primary: boolean): string[] =>
  registry.names(primary).filter((name) => name !== 'think' && name !== 'task_complete');
export const built = (toml = '', provider = 'anthropic', tools = registry) => {
  const settings = settingsOf(toml);
  const rules = new ModelRules({ settings, lists: new ModelLists(), environment: { baseUrl: undefined } });
  return new Envelopes({ settings, tools, provider: () => provider, models: rules });
};

export const leadOf = (parts: Partial<AgentDefinition> = {}, toml = '', provider = 'anthropic'): Envelope =>
  built(toml, provider).lead(definitionOf({ name: 'lead', role: 'primary', ...parts }), 'Do it', '/work');

export function agentsWith(...all: Partial<AgentDefinition>[]): AgentRegistry {
  const agents = new AgentRegistry();
  for (const parts of all) agents.register(definitionOf(parts));
  return agents;
}

export const spawning = (parts: Partial<ChildRequest> = {}): ChildRequest => ({
  ...delegationRequest('', 'Do a part', undefined),
  agent: null,
  name: 'helper',
  ...parts,
});
export const delegating = (agent = 'worker') => delegationRequest(agent, 'Do a part', undefined);

const offerOf = (server: string, ...names: string[]): McpOffer => ({
  server,
  runs: `run ${server}`,
  config: `hash of ${server}`,
  tools: names.map((tool) => ({
    name: `mcp__${server}__${tool}`,
    tool,
    description: `Does ${tool}`,
    inputSchema: { type: 'object' },
    permissions: ['Execute', 'NetworkAccess'],
  })),
});
export const OFFERS = [offerOf('a', 'one', 'two'), offerOf('b', 'three')];
export const SERVER_TOOLS = ['mcp__a__one', 'mcp__a__two', 'mcp__b__three'];
export const connected = (parts: Partial<AgentDefinition> = {}): Envelope => {
  const definition = definitionOf({ name: 'lead', role: 'primary', ...parts });
  return built().lead(definition, 'Do it', '/work', settingsOf('').limits, OFFERS);
};
export const serversIn = ({ mcp = [] }: Envelope) =>
  mcp.map(({ server, tools }) => [server, ...tools.map(({ tool }) => tool)]);
