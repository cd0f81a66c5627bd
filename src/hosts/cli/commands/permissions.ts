/** `triad permissions`: what is asked about and what is not, why, and taking a grant back. */
import { Id } from '#contract/ids.ts';
import type { VerdictStep } from '#contract/permission.ts';
import type { Client, Output } from '#contract/rpc.ts';
import { UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';
import { sessionId } from './sessions/load-session.ts';

interface InFolder {
  folder: string;
  json?: boolean;
}

export async function listPermissions(
  { screen }: Io,
  client: Client,
  { folder, json, all }: InFolder & { all?: boolean },
): Promise<void> {
  const here = await client.request('permissions.list', { folder });
  const found = all ? { ...here, grants: (await client.request('permissions.list', {})).grants } : here;
  if (json) return screen.data(`${JSON.stringify(await withReferences(found), null, 2)}\n`);
  const { mode, rules, grants, unsignedGrants, faults, trusted } = found;
  for (const fault of faults) screen.note(`triad: ${visible(fault)}`);
  screen.note(`Where no rule says anything: approval mode ${mode}.`);
  if (!trusted) screen.note('The project’s rules may only deny or ask: its file is not trusted (triad trust).');
  if (unsignedGrants > 0)
    screen.note(`Grants that another installation wrote to the shared store are ignored: ${unsignedGrants}.`);
  const { grantTable, ruleTable } = await import('../render/permission-tables.ts');
  const lines = [
    ...(rules.length === 0 ? ['There are no rules.'] : ruleTable(rules, folder, screen.width)),
    '',
    ...(grants.length === 0 ? ['Nothing is granted.'] : grantTable(grants, screen.width)),
  ];
  for (const line of lines) screen.data(`${line}\n`);
}

/** With what `remove` and `move` take. */
async function withReferences(found: Output<'permissions.list'>): Promise<object> {
  const { referenceOf } = await import('../render/rule-reference.ts');
  return { ...found, rules: found.rules.map((rule) => ({ ...rule, ref: referenceOf(rule) })) };
}

export async function explainCall(
  { screen }: Io,
  client: Client,
  call: {
    agent: string;
    tool: string;
    words: readonly string[];
    conversation: string | undefined;
    workflow: string | undefined;
  },
  { folder, json }: InFolder,
): Promise<void> {
  const { agent, tool, conversation, workflow } = call;
  const workflowId = workflow === undefined ? undefined : wholeId(workflow, 'a workflow', 'sessions trace ID');
  const conversationId =
    conversation === undefined ? undefined : await sessionId(client, conversation, ['conversation.list']);
  const verdict = await client.request('permissions.explain', {
    agent,
    tool,
    input: argumentsOf(call.words),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(workflowId === undefined ? {} : { workflowId }),
    ...(conversationId === undefined && workflowId === undefined ? { folder } : {}),
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

/** One JSON object, or words such as `path=README.md`; a value that is JSON counts as that, any other as text. */
function argumentsOf(words: readonly string[]): Record<string, unknown> {
  const [first] = words;
  if (words.length === 1 && first?.trimStart().startsWith('{')) {
    const whole = jsonOf(first);
    if (typeof whole === 'object' && whole !== null && !Array.isArray(whole)) return whole as Record<string, unknown>;
    throw new UsageError('the arguments are not a JSON object');
  }
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw new UsageError(`"${visible(word)}" is not KEY=VALUE`);
      const text = word.slice(at + 1);
      const value = jsonOf(text);
      return [word.slice(0, at), value === undefined ? text : value];
    }),
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The id as it was typed; `see`: the command that shows those that there are. */
function wholeId(word: string, ofWhat: string, see: string): string {
  if (Id.safeParse(word).success) return word;
  throw new UsageError(`"${visible(word)}" is not the id of ${ofWhat}: see "triad ${see}"`);
}

export async function revokeGrant(
  { screen }: Io,
  client: Client,
  word: string,
  { json }: { json?: boolean },
): Promise<void> {
  const grantId = wholeId(word, 'a grant', 'permissions list');
  const grant = await client.request('permissions.revoke', { grantId });
  if (json) return screen.data(`${JSON.stringify(grant, null, 2)}\n`);
  const { agent, tool, pattern } = grant;
  screen.note(`Revoked: it no longer allows ${visible(agent)} to use ${tool} on ${visible(pattern)}.`);
}
