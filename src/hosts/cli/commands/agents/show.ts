/** `triad agents show`: one agent in full, its settings and its system prompt. */
import type { Client } from '#contract/rpc.ts';
import { describeFault } from '#core/agents/load.ts';
import { agentFacts } from '../../render/agent-facts.ts';
import { agentPicture } from '../../render/agent-picture.ts';
import { oneLine } from '../../render/format.ts';
import type { Io } from '../../terminal/io.ts';
import { dataText } from '../../terminal/screen.ts';
import { visible } from '../../terminal/visible.ts';
import type { AgentOptions } from './list.ts';

export async function showAgent(
  { screen }: Io,
  client: Client,
  name: string,
  { json, folder }: AgentOptions,
): Promise<void> {
  const [{ definition, needs, warnings }, agents] = await Promise.all([
    client.request('agents.get', { folder, name }),
    client.request('agents.list', { folder }),
  ]);
  const { chain = [] } = agents.find((agent) => agent.name === definition.name) ?? {};
  if (json) return screen.data(`${JSON.stringify({ ...definition, needs, warnings, chain }, null, 2)}\n`);
  for (const [key, value] of agentFacts(definition, needs))
    screen.data(`${visible(key).padEnd(19)} ${visible(value)}\n`);
  for (const line of agentPicture(definition, chain, agents)) screen.data(`${visible(line)}\n`);
  const { systemPrompt } = definition;
  screen.data(`\n${dataText(screen, systemPrompt)}\n`);
  for (const warning of warnings) screen.note(oneLine(visible(describeFault(definition.sourcePath ?? name, warning))));
}
