/** Slash commands of a session. What they answer is told, and not kept: nothing of it reaches a model. */
import { type AvailableCommand, RequestError } from '@agentclientprotocol/sdk';
import type { Client } from '#contract/rpc.ts';

export const COMMANDS: readonly AvailableCommand[] = [
  {
    name: 'agent',
    description: 'Who leads this session, as long as nothing was said; without a name: who there is',
    input: { hint: 'name' },
  },
  { name: 'resume', description: 'Go on with the interrupted message from its last finished step' },
  { name: 'compact', description: 'Summarise the oldest part of what the lead was told, to make room' },
  { name: 'undo', description: 'Undo the changes of files by the newest message; shows them and asks first' },
  { name: 'redo', description: 'Take the last undo or rewind back; shows what changes and asks first' },
  {
    name: 'rewind',
    description: 'Go back to before a message, with its files; without a number: the messages',
    input: { hint: 'number' },
  },
  {
    name: 'mcp',
    description: 'Send a prompt of an MCP server: SERVER PROMPT [KEY=VALUE …]',
    input: { hint: 'server prompt key=value' },
  },
  { name: 'sessions', description: 'The newest sessions in this folder' },
  { name: 'help', description: 'These commands' },
];

/** Null for anything that is no command of this list, which is then a message. */
export function commandIn(text: string): { name: string; rest: string } | null {
  const found = /^\/([a-z]+)(?:\s+([^]*))?$/.exec(text.trim());
  const name = found?.[1] ?? '';
  return COMMANDS.some((command) => command.name === name) ? { name, rest: found?.[2]?.trim() ?? '' } : null;
}

export function helpText(): string {
  return COMMANDS.map(({ name, description }) => `- \`/${name}\`: ${description}`).join('\n');
}

export async function agentsText(client: Client, folder: string): Promise<string> {
  const agents = await client.request('agents.list', { folder });
  const usable = agents.filter(({ enabled }) => enabled);
  return usable.map(({ name, description }) => `- \`${name}\`: ${description}`).join('\n');
}

/** What came of it. Rejects as `context.compact` does. */
export async function compactText(client: Client, conversationId: string): Promise<string> {
  const { waits } = await client.request('context.compact', { conversationId });
  return waits ? 'Room is made before the next model request.' : 'Room was made.';
}

/** At most ten of them. */
export async function sessionsText(client: Client, folder: string): Promise<string> {
  const { items } = await client.request('conversation.list', { limit: 100 });
  const here = items.filter((row) => row.folder === folder && row.lastSeq > 0).slice(0, 10);
  if (here.length === 0) return 'There are no sessions in this folder yet.';
  return here.map(({ id, title, updatedAt }) => `- ${title} (${updatedAt.slice(0, 16)}, \`${id}\`)`).join('\n');
}

/** The text of a server's prompt, for a message. */
export async function mcpPrompt(client: Client, folder: string, rest: string): Promise<string> {
  const [name, prompt, ...words] = rest.split(/\s+/);
  if (!name || !prompt) throw RequestError.invalidParams({}, 'Say which: /mcp SERVER PROMPT [KEY=VALUE …]');
  const args = Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw RequestError.invalidParams({}, `"${word}" is not KEY=VALUE`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
  return (await client.request('mcp.prompt', { folder, name, prompt, args })).text;
}
