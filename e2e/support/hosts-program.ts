/**
 * A process with many browser hosts, one after the other, each on a home of its own. Started by `shared-hosts.ts`, which
 * talks to it over the channel between the two processes.
 */
import { BrowserKeys } from '#core/host/ownership/browser-keys.ts';
import { folders } from '#core/settings/folders.ts';
import { connect } from '#hosts/connect.ts';
import { serve } from '#hosts/http.ts';
import { fileURLToPath } from 'node:url';
import { Wire } from './wire.ts';

export interface HostToOpen {
  id: number;
  port: number;
  label: string | null;
  workspace: string;
  env: Record<string, string>;
}

export interface HostNote {
  id: number;
  line: string;
}

const WEB_ROOT = fileURLToPath(new URL('../../build', import.meta.url));
const closes = new Map<number, () => Promise<void>>();
const wire = new Wire(process);

export interface OpenedHost {
  url: string;
  origin: string;
  port: number;
}

async function open({ id, port, label, workspace, env }: HostToOpen): Promise<OpenedHost> {
  const ended = new AbortController();
  const { signal } = ended;
  const note = (line: string) => wire.tell('note', { id, line } satisfies HostNote);
  const connected = await connect({ env, folder: workspace, works: true, signal, note });
  const keys = new BrowserKeys((await folders(env)).data);
  const at = (which: number) =>
    serve(connected.client, { port: which, label, webRoot: WEB_ROOT, signal, report: note, keys });
  // Somebody may have taken it meanwhile.
  const server = await at(port).catch(() => at(0));
  closes.set(id, async () => {
    closes.delete(id);
    ended.abort();
    await server.close();
    await connected.close();
  });
  const { url, origin, port: opened } = server;
  return { url, origin, port: opened };
}

wire.on('open', open);
wire.on('close', (id: number) => closes.get(id)?.());
// The tests have gone.
process.on('disconnect', () => process.exit(0));
