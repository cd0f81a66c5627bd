/** `triad permissions explain`: prints the verdict on a call, and the steps that lead to it. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { VerdictStep } from '#contract/permission.ts';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { cwd, json, NameOption } from '../parameters.ts';
import { resolveSessionId } from '../sessions/load-session.ts';
import { wholeId } from './whole-id.ts';

interface Options {
  cwd?: string;
  conversation?: string;
  workflow?: string;
  json?: boolean;
}

export function addPermissionsExplain(permissions: Command, io: Io): void {
  permissions
    .command('explain')
    .description('show what would happen to a call, and which rule, grant or default decides it')
    .argument('<agent>', 'agent of the call; for a temporary agent, its name where it was started, or spawned:NAME')
    .argument('<tool>', 'name of the tool')
    .argument('[arguments...]', 'arguments of the call: a JSON object, or KEY=VALUE for each')
    .addOption(cwd())
    .addOption(new NameOption('session', '--conversation <id>', 'use the lead and the grants of this conversation'))
    .option('--workflow <id>', 'use the agents of this workflow as they were started, and its grants')
    .addOption(json())
    .action((agent: string, tool: string, words: string[], options: Options) =>
      withClient(io, (client) => explainCall(io, client, { agent, tool, words }, options)),
    );
}

async function explainCall(
  { screen, folder }: Io,
  client: Client,
  { agent, tool, words }: { agent: string; tool: string; words: readonly string[] },
  { cwd = '.', conversation, workflow, json }: Options,
): Promise<void> {
  const workflowId = workflow === undefined ? undefined : await wholeId(workflow, 'a workflow', 'sessions trace ID');
  const conversationId =
    conversation === undefined ? undefined : await resolveSessionId(client, conversation, ['conversation.list']);
  const verdict = await client.request('permissions.explain', {
    agent,
    tool,
    input: parseArguments(words),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(workflowId === undefined ? {} : { workflowId }),
    ...(conversationId === undefined && workflowId === undefined ? { folder: resolve(folder, cwd) } : {}),
  });
  if (json) return screen.data(`${JSON.stringify(verdict, null, 2)}\n`);
  screen.data(`${verdict.effect}: ${visible(verdict.reason)}\n`);
  for (const part of verdict.parts ?? [])
    screen.data(`  ${part.effect.padEnd(5)}  ${visible(part.value)}: ${visible(part.reason)}\n`);
  const others = verdict.steps.filter(({ decides }) => !decides);
  if (others.length > 0) screen.data(`\nAlso looked at, in this order:\n`);
  for (const step of others) screen.data(`${stepLine(step)}\n`);
}

function stepLine({ effect, text, id }: VerdictStep): string {
  return `  ${effect.padEnd(5)}  ${visible(text)} [${visible(id)}]`;
}

/** Parses one JSON object, or words such as `path=README.md`. A value that is no JSON counts as text. */
function parseArguments(words: readonly string[]): Record<string, unknown> {
  const [first] = words;
  if (words.length === 1 && first?.trimStart().startsWith('{')) {
    const whole = parseJson(first);
    if (typeof whole === 'object' && whole !== null && !Array.isArray(whole)) return whole as Record<string, unknown>;
    throw new UsageError('the arguments are not a JSON object');
  }
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw new UsageError(`"${visible(word)}" is not KEY=VALUE`);
      const text = word.slice(at + 1);
      const value = parseJson(text);
      return [word.slice(0, at), value === undefined ? text : value];
    }),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
