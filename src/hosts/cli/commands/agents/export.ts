/** `triad agents export`: an agent in the format of another program, and what that format cannot express. */
import type { Client } from '#contract/rpc.ts';
import type { AgentExportFormat } from '#core/agents/export/exported.ts';
import { exportAgent } from '#core/agents/export/export-agent.ts';
import { allTools } from '#core/tools/all-tools.ts';
import type { Io } from '../../terminal/io.ts';
import { oneLine } from '../../render/format.ts';
import { dataText } from '../../terminal/screen.ts';
import { visible } from '../../terminal/visible.ts';
import type { AgentOptions } from './list.ts';

export async function exportToFormat(
  { screen }: Io,
  client: Client,
  name: string,
  { json, folder, format }: AgentOptions & { format: AgentExportFormat },
): Promise<void> {
  const { definition } = await client.request('agents.get', { folder, name });
  const exported = exportAgent(definition, format, allTools());
  if (json) return screen.data(`${JSON.stringify(exported, null, 2)}\n`);
  screen.data(dataText(screen, exported.text));
  screen.note(`Save it as ${visible(exported.file)}.`);
  for (const { key, reason } of exported.lost) screen.note(oneLine(visible(`not exported: ${key}: ${reason}`)));
}
