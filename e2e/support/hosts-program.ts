/**
 * A process with many browser hosts, one after the other, each on a home of its own. Started by `shared-hosts.ts`, which
 * talks to it over the channel between the two processes.
 */
import { connect } from '#hosts/connect.ts';
import { serve } from '#hosts/http.ts';
import { fileURLToPath } from 'node:url';

export type HostCommand =
  | { kind: 'open'; id: number; port: number; workspace: string; env: Record<string, string> }
  | { kind: 'close'; id: number };

export type HostReport =
  | { kind: 'opened'; id: number; url: string }
  | { kind: 'closed'; id: number }
  | { kind: 'note'; id: number; line: string }
  | { kind: 'failed'; id: number; message: string };

const WEB_ROOT = fileURLToPath(new URL('../../build', import.meta.url));
const closes = new Map<number, () => Promise<void>>();
const tell = (report: HostReport) => process.send?.(report);

async function open({ id, port, workspace, env }: Extract<HostCommand, { kind: 'open' }>): Promise<void> {
  const ended = new AbortController();
  const { signal } = ended;
  const note = (line: string) => tell({ kind: 'note', id, line });
  const connected = await connect({ env, folder: workspace, works: true, signal, note });
  const secret = await connected.browserSecret();
  const at = (which: number) =>
    serve(connected.client, { port: which, webRoot: WEB_ROOT, signal, report: note, secret });
  // Somebody may have taken it meanwhile.
  const server = await at(port).catch(() => at(0));
  closes.set(id, async () => {
    closes.delete(id);
    ended.abort();
    await server.close();
    await connected.close();
  });
  tell({ kind: 'opened', id, url: server.url });
}

async function perform(command: HostCommand): Promise<void> {
  const { id } = command;
  try {
    if (command.kind === 'open') return await open(command);
    await closes.get(id)?.();
    tell({ kind: 'closed', id });
  } catch (error) {
    tell({ kind: 'failed', id, message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

process.on('message', (command) => void perform(command as HostCommand));
// The tests have gone.
process.on('disconnect', () => process.exit(0));
