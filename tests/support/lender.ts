/** A client that lends an editor, terminals and MCP servers, as the one of an ACP session does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import type { Lent, LentCall } from '#contract/hosts/lent.ts';
import type { Client } from '#contract/rpc.ts';

type Lending = Partial<Omit<Lent, 'conversationId' | 'mcp'>> & { mcp?: Partial<Lent['mcp'][number]>[] };

export interface Lender {
  /** Unsaved texts by absolute path. */
  buffers: Map<string, string>;
  /** What it was asked, in order. */
  calls: LentCall[];
  terminals: Map<string, { child: ChildProcess; output: string; released: boolean }>;
  leave: () => void;
}

interface How {
  /** Saves what is written; default: true. */
  saves?: boolean;
  /** Leaves a call unanswered, or answers it in its own way. */
  answer?: (
    call: LentCall,
    leave: () => void,
  ) => { ok: false; message: string } | { ok: true; value: unknown } | 'never' | null;
}

export async function lendTo(client: Client, conversationId: string, what: Lending, how: How = {}): Promise<Lender> {
  const lender: Lender = { buffers: new Map(), calls: [], terminals: new Map(), leave: () => undefined };
  const lent = { files: { read: false, write: false }, terminal: false, ...what, conversationId } as Lent;
  lender.leave = await client.subscribe('lent', lent, (call) => {
    lender.calls.push(call);
    const own = how.answer?.(call, () => lender.leave()) ?? null;
    if (own === 'never') return;
    const made = own === null ? perform(lender, call, how.saves ?? true) : Promise.resolve(own);
    void made
      .catch((error: unknown) => ({ ok: false as const, message: String(error) }))
      .then((answer) => client.request('lent.answer', { id: call.id, answer }))
      .catch(() => undefined);
  });
  return lender;
}

const yes = (value: unknown): { ok: true; value: unknown } => ({ ok: true, value });

async function perform({ buffers, terminals }: Lender, call: LentCall, saves: boolean) {
  if (call.name === 'read-file') {
    const { path } = call.input;
    // Editors count every line end as one.
    const text = buffers.get(path) ?? (await readFile(path, 'utf8')).replaceAll('\r\n', '\n');
    return yes({ text });
  }
  if (call.name === 'write-file') {
    const { path, text } = call.input;
    if (saves) await writeFile(path, text);
    if (saves) buffers.delete(path);
    else buffers.set(path, text);
    return yes({});
  }
  if (call.name === 'terminal-create') {
    const { command, args, cwd } = call.input;
    const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const terminal = { child, output: '', released: false };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (terminal.output += text.replaceAll('\n', '\r\n')));
    const terminalId = `t${terminals.size + 1}`;
    terminals.set(terminalId, terminal);
    return yes({ terminalId });
  }
  const terminal = terminals.get(call.input.terminalId)!;
  const { child } = terminal;
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const ended = () => ({ exitCode: child.exitCode, signal: child.signalCode });
  if (call.name === 'terminal-output')
    return yes({ output: terminal.output, truncated: false, ended: isOver() ? ended() : null });
  if (call.name === 'terminal-wait') {
    if (!isOver()) await new Promise((resolve) => child.once('close', resolve));
    return yes(ended());
  }
  if (!isOver()) process.kill(-child.pid!, 'SIGKILL');
  if (call.name === 'terminal-release') terminal.released = true;
  return yes({});
}
