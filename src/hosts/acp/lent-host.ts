/** What the ACP client lends to one of its sessions, handed to whoever does the work: each call comes here, and is made over the client's own connection. */
import {
  type AgentContext,
  type ClientCapabilities,
  type EnvVariable,
  type HttpHeader,
  type McpServer,
  methods,
  RequestError,
} from '@agentclientprotocol/sdk';
import { Lent, type LentCall, type LentServer } from '#contract/hosts/lent.ts';
import type { Client } from '#contract/rpc.ts';
import { problemWords } from '#core/base/problem-words.ts';

export interface LentSession {
  /** The session's id is its conversation's. */
  sessionId: string;
  capabilities: ClientCapabilities;
  mcpServers: readonly McpServer[];
  /** A command of this call runs in this terminal of the client, which can show it as long as it lives. */
  onTerminal?: (call: { runId: string; toolCallId: string }, terminalId: string) => void;
}

/**
 * Lends until the returned function is called. Where another process does the work from now on, that function is called,
 * and it is lent once more, before anything goes on there. `context`: the ACP client's side of its connection. Throws what
 * `subscribe` throws; does nothing where there is nothing to lend.
 */
export async function lend(context: AgentContext, client: Client, session: LentSession): Promise<() => void> {
  const { sessionId, capabilities, mcpServers } = session;
  const { fs, terminal = false } = capabilities;
  const files = { read: fs?.readTextFile ?? false, write: fs?.writeTextFile ?? false };
  if (!files.read && !files.write && !terminal && mcpServers.length === 0) return () => undefined;
  /** Terminals that were not given back. */
  const open = new Set<string>();
  const mcp = mcpServers.map(lentServer);
  const end = await client.subscribe('lent', { conversationId: sessionId, files, terminal, mcp }, (call) => {
    void answer(context, client, session, call, open).catch(() => end());
  });
  return () => {
    end();
    // Whoever ran something in them is not there any more.
    for (const terminalId of open) void letGo(context, sessionId, terminalId);
    open.clear();
  };
}

/** Throws invalid params, with where it is, for servers that cannot be passed on. */
export function checkServers(mcpServers: readonly McpServer[]): void {
  const read = Lent.shape.mcp.safeParse(mcpServers.map(lentServer), { error: problemWords });
  const issue = read.error?.issues[0];
  if (!issue) return;
  throw RequestError.invalidParams({}, `${['mcpServers', ...issue.path].map(String).join('.')} ${issue.message}`);
}

type Answered = Parameters<typeof sendAnswer>[2];

/** Rejects where the ACP client has gone: what it did of the call nobody knows, so it is no answer. */
async function answer(
  context: AgentContext,
  client: Client,
  session: LentSession,
  call: LentCall,
  open: Set<string>,
): Promise<void> {
  const made: Answered = await perform(context, session.sessionId, call).then(
    (value) => ({ ok: true as const, value }),
    (error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
      return { ok: false as const, message: error.message.slice(0, MAX_WORDS) };
    },
  );
  const terminalId = call.name === 'terminal-create' && made.ok ? madeTerminal(made.value) : null;
  if (terminalId !== null) open.add(terminalId);
  if (call.name === 'terminal-release') open.delete(call.input.terminalId);
  const taken = await sendAnswer(client, call.id, made);
  if (terminalId === null) return;
  if (taken && call.name === 'terminal-create') return session.onTerminal?.(call.input, terminalId);
  // Whoever wanted it has stopped to wait, or has gone.
  open.delete(terminalId);
  await letGo(context, session.sessionId, terminalId);
}

/** Whether somebody waited for it. */
async function sendAnswer(
  client: Client,
  id: string,
  made: { ok: true; value: unknown } | { ok: false; message: string },
): Promise<boolean> {
  return client.request('lent.answer', { id, answer: made }).then(
    ({ taken }) => taken,
    () => false,
  );
}

function madeTerminal(value: unknown): string | null {
  const { terminalId } = value as { terminalId: unknown };
  return typeof terminalId === 'string' ? terminalId : null;
}

async function letGo(context: AgentContext, sessionId: string, terminalId: string): Promise<void> {
  await context.request(methods.client.terminal.release, { sessionId, terminalId }).catch(() => undefined);
}

const MAX_WORDS = 2000;

/** What the call answers, in the contract's words: whether it fits is looked at by whoever asked. */
async function perform(context: AgentContext, sessionId: string, call: LentCall): Promise<unknown> {
  const { fs, terminal } = methods.client;
  switch (call.name) {
    case 'read-file': {
      const { content } = fieldsOf(await context.request(fs.readTextFile, { sessionId, path: call.input.path }));
      return { text: content };
    }
    case 'write-file':
      await context.request(fs.writeTextFile, { sessionId, path: call.input.path, content: call.input.text });
      return {};
    case 'terminal-create': {
      const { command, args, cwd, outputBytes: outputByteLimit } = call.input;
      const asked = { sessionId, command, args, cwd, outputByteLimit };
      const { terminalId } = fieldsOf(await context.request(terminal.create, asked));
      return { terminalId };
    }
    case 'terminal-output': {
      const asked = { sessionId, ...call.input };
      const { output, truncated, exitStatus } = fieldsOf(await context.request(terminal.output, asked));
      return { output, truncated, ended: exitStatus ? endedAs(exitStatus) : null };
    }
    case 'terminal-wait':
      return endedAs(await context.request(terminal.waitForExit, { sessionId, ...call.input }));
    case 'terminal-kill':
      await context.request(terminal.kill, { sessionId, ...call.input });
      return {};
    case 'terminal-release':
      await context.request(terminal.release, { sessionId, ...call.input });
      return {};
  }
}

/** The SDK hands on whatever the client wrote, `null` too. */
function fieldsOf(answered: unknown): Readonly<Record<string, unknown>> {
  return Object(answered) as Record<string, unknown>;
}

function endedAs(status: unknown) {
  const { exitCode = null, signal = null } = fieldsOf(status);
  return { exitCode, signal };
}

function lentServer(server: McpServer): LentServer {
  const none = { args: [], env: {}, headers: {} };
  const { name } = server;
  if (!('type' in server)) {
    const { command, args, env } = server;
    return { ...none, name, type: 'stdio', command, args, env: valuesOf(env) };
  }
  const { type, url, headers } = server;
  return { ...none, name, type, url, headers: valuesOf(headers) };
}

function valuesOf(pairs: readonly (EnvVariable | HttpHeader)[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
