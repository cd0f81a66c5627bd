/** `triad run`: runs one workflow from one prompt, in a new or an existing conversation. */
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { ApprovePolicy } from '#contract/agent.ts';
import type { LeadPreview } from '#contract/approval.ts';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { type Link, openLink } from '../follow/link.ts';
import { Interruption, lineOf, UsageError } from '../terminal/failure.ts';
import type { Exit, Io } from '../terminal/io.ts';
import { readInput } from '../terminal/read-input.ts';
import { oneLine, visible } from '../terminal/visible.ts';
import { approve, jsonEvents, NameOption } from './parameters.ts';

interface Options {
  agent?: string;
  cwd?: string;
  approve?: ApprovePolicy;
  json?: boolean;
  conversation?: string;
  provider?: string;
  model?: string;
}

export function addRun(program: Command, io: Io, exit: Exit): void {
  program
    .command('run')
    .description('send one prompt to the lead agent, and print its answer as it streams')
    .argument('[prompt]', 'task for the lead; "-" reads it from standard input')
    .addOption(new NameOption('agent', '--agent <name>', 'lead of a new conversation'))
    .option('--provider <name>', 'provider of the lead, for this prompt')
    .option('--model <id>', 'model of the lead, for this prompt')
    .option('--cwd <folder>', 'folder to work in (default: the current folder)')
    .addOption(approve())
    .addOption(jsonEvents())
    .addOption(new NameOption('session', '--conversation <id>', 'continue this conversation'))
    .action(async (prompt: string | undefined, options: Options) => exit(await run(io, prompt, options)));
}

async function run(io: Io, given: string | undefined, options: Options): Promise<number> {
  const { Id } = await import('#contract/ids.ts');
  const { newId } = await import('#core/base/ids.ts');
  const { terminalFor } = await import('../follow/answers.ts');
  const { follow } = await import('../follow/follow.ts');
  const folder = await workspace(io, options.cwd);
  const known = options.conversation === undefined || Id.safeParse(options.conversation).success;
  if (!known)
    throw new UsageError(`"${options.conversation}" is not the id of a conversation: see "triad sessions list"`);
  const { approve, terminal } = await terminalFor(io, options.approve);
  let sending = false;
  try {
    const text = await promptText(io, given);
    const link = await openLink(io, true);
    try {
      const { agent, conversation } = options;
      // A prompt that breaks the contract of its lead is refused before its conversation is created.
      const first = conversation === undefined ? await previewLead(link, folder, agent, text) : null;
      const { id: conversationId, at } = await link.ask((client) => conversationFor(client, folder, options));
      await noteComposition(io, first ?? (await previewLead(link, at, agent, text)));
      const { provider, model } = options;
      const chosen = { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) };
      const sentAs = newId();
      const start = async (client: Client) => {
        sending = true;
        const message = { conversationId, text, approve, via: 'cli', sentAs, ...chosen } as const;
        const sent = await client.request('message.send', message);
        if (sent.untrusted) io.screen.note(leftOut(sent.untrusted));
        return sent.workflowId;
      };
      const find = async (client: Client) => {
        const { workflows } = await client.request('conversation.snapshot', { conversationId });
        return workflows.find((workflow) => workflow.sentAs === sentAs)?.id ?? null;
      };
      const json = options.json === true;
      return await follow(io, link, { conversationId, json, answers: terminal, start, find });
    } finally {
      await link.close();
    }
  } catch (error) {
    if (!sending && io.signal.reason instanceof Interruption)
      io.screen.note(`triad: ${lineOf(io.signal.reason)} before the message was stored: nothing was started`);
    if (error instanceof TriadError && error.code === 'no_key') throw withDemo(error);
    throw error;
  } finally {
    terminal?.close();
  }
}

/** Whoever only looks needs no key. */
function withDemo({ code, message }: TriadError): TriadError {
  return new TriadError(code, `${message}; the demo needs none: triad run --provider demo "…"`);
}

/** Returns null if no agent was named. */
async function previewLead(
  link: Link,
  folder: string,
  agent: string | undefined,
  prompt: string,
): Promise<LeadPreview | null> {
  if (agent === undefined) return null;
  return link.ask((client) => client.request('agents.preview', { folder, agent, prompt }));
}

/** Whoever names a composition says yes to its agents, and is told of them before anything starts. */
async function noteComposition(io: Io, preview: LeadPreview | null): Promise<void> {
  if (preview === null) return;
  const { compositionLines } = await import('../render/composition-lines.ts');
  for (const line of compositionLines(preview)) io.screen.note(line);
}

/** One line, however many there are. */
function leftOut(files: readonly string[]): string {
  const some = files
    .slice(0, 3)
    .map((file) => oneLine(visible(file)))
    .join(', ');
  const more = files.length > 3 ? ` and ${files.length - 3} more` : '';
  return `triad: left out, because nobody has trusted them as they are: ${some}${more}; see "triad trust"`;
}

async function workspace(io: Io, given: string | undefined): Promise<string> {
  const folder = resolve(io.folder, given ?? '.');
  const found = await stat(folder).catch(() => null);
  if (found === null) throw new UsageError(`There is no folder ${folder}`);
  if (!found.isDirectory()) throw new UsageError(`${folder} is not a folder`);
  return realpath(folder);
}

/** The argument; with "-", or without one where something is piped in, all of the standard input. */
async function promptText(io: Io, given: string | undefined): Promise<string> {
  const piped = given === '-' || (given === undefined && io.stdin.isTTY !== true);
  const text = piped ? await readInput(io) : given;
  if (text === undefined || text.trim() === '')
    throw new UsageError('The prompt is empty: say what the lead should do');
  return text;
}

/** A conversation keeps its folder and its lead; naming others for it is a mistake. `at`: its folder. */
async function conversationFor(client: Client, folder: string, options: Options): Promise<{ id: string; at: string }> {
  const { conversation: conversationId, agent, cwd, provider } = options;
  if (conversationId === undefined) {
    const given = { folder, ...(agent !== undefined && { agent }), ...(provider !== undefined && { provider }) };
    return { id: (await client.request('conversation.create', given)).id, at: folder };
  }
  const { conversation } = await client.request('conversation.snapshot', { conversationId });
  if (cwd !== undefined && conversation.folder !== folder) {
    throw new UsageError(`This conversation works in ${conversation.folder}: leave out --cwd`);
  }
  if (agent !== undefined && conversation.agent !== agent) {
    throw new UsageError(`This conversation is led by ${conversation.agent}: leave out --agent`);
  }
  return { id: conversationId, at: conversation.folder };
}
