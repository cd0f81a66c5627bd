/** What the ACP client lends to one of its sessions, handed to whoever does the work: each call comes here, and is made over the client's own connection. */
import {
  type AgentContext,
  type ClientCapabilities,
  type EnvVariable,
  type HttpHeader,
  type McpServer,
  methods,
} from '@agentclientprotocol/sdk';
import type { LentCall, LentServer } from '#contract/hosts/lent.ts';
import type { Client } from '#contract/rpc.ts';
import { errorInfo } from '#core/base/errors.ts';

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
    void answer(context, client, session, call, open);
  });
  return () => {
    end();
    // Whoever ran something in them is not there any more.
    for (const terminalId of open) void letGo(context, sessionId, terminalId);
    open.clear();
  };
}

type Answered = Parameters<typeof sendAnswer>[2];

/** Never rejects: nobody could be told. */
async function answer(
  context: AgentContext,
  client: Client,
  session: LentSession,
  call: LentCall,
  open: Set<string>,
): Promise<void> {
  const made: Answered = await perform(context, session.sessionId, call).then(
    (value) => ({ ok: true as const, value }),
    (error: unknown) => ({ ok: false as const, message: wordsOf(error) }),
  );
  const terminalId =
    call.name === 'terminal-create' && made.ok ? (made.value as { terminalId: string }).terminalId : null;
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

async function letGo(context: AgentContext, sessionId: string, terminalId: string): Promise<void> {
  await context.request(methods.client.terminal.release, { sessionId, terminalId }).catch(() => undefined);
}

const MAX_WORDS = 2000;

function wordsOf(error: unknown): string {
  return errorInfo(error).code === 'internal' && error instanceof Error
    ? error.message.slice(0, MAX_WORDS)
    : errorInfo(error).message.slice(0, MAX_WORDS);
}

/** What the call answers, in the contract's words. */
async function perform(context: AgentContext, sessionId: string, call: LentCall): Promise<unknown> {
  const { fs, terminal } = methods.client;
  switch (call.name) {
    case 'read-file': {
      const { content } = await context.request(fs.readTextFile, { sessionId, path: call.input.path });
      return { text: content };
    }
    case 'write-file':
      await context.request(fs.writeTextFile, { sessionId, path: call.input.path, content: call.input.text });
      return {};
    case 'terminal-create': {
      const { command, args, cwd, outputBytes: outputByteLimit } = call.input;
      const made = await context.request(terminal.create, { sessionId, command, args, cwd, outputByteLimit });
      return { terminalId: made.terminalId };
    }
    case 'terminal-output': {
      const { output, truncated, exitStatus } = await context.request(terminal.output, { sessionId, ...call.input });
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

function endedAs({ exitCode, signal }: { exitCode?: number | null; signal?: string | null }) {
  return { exitCode: exitCode ?? null, signal: signal ?? null };
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
