/** A browser host on a free port over a small built site, and plain requests to it. */
import { BrowserKeys } from '#core/host/ownership/browser-keys.ts';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '#contract/rpc.ts';
import { serve, type WebServer } from '#hosts/http.ts';
import { TestBrowser } from '../../support/test-browser.ts';

export const PAGE = `<!doctype html><html><head>
<meta http-equiv="content-security-policy" content="default-src 'none'; script-src 'self' 'sha256-abc='; base-uri 'none'">
</head><body>the app</body></html>`;

export interface Site {
  server: WebServer;
  reports: string[];
  /** Its data folder. */
  data: string;
  /** The keys of its browsers, as another program of this installation has them. */
  keys: BrowserKeys;
  /** A browser that opened the printed URL: works once. */
  enter(): Promise<TestBrowser>;
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Answer>;
  close(): Promise<void>;
}
interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export async function openSite(
  client: Client,
  options: { patienceMs?: number; data?: string; port?: number; label?: string } = {},
): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'triad-site-'));
  const webRoot = join(folder, 'build');
  await mkdir(join(webRoot, '_app', 'immutable'), { recursive: true });
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await writeFile(join(webRoot, 'index.html'), PAGE);
  await writeFile(join(webRoot, 'favicon.svg'), '<svg/>');
  await writeFile(join(webRoot, '_app', 'immutable', 'entry.js'), 'export {};');
  await symlink(join(folder, 'secret.txt'), join(webRoot, 'link.txt'));
  const data = options.data ?? join(folder, 'data');
  const controller = new AbortController();
  const reports: string[] = [];
  const report = (line: string) => void reports.push(line);
  const server = await serve(client, {
    port: options.port ?? 0,
    label: options.label ?? null,
    webRoot,
    signal: controller.signal,
    report,
    keys: new BrowserKeys(data),
    ...(options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs }),
  });
  const get: Site['get'] = (path, headers = {}, method = 'GET') => send(server.port, path, headers, method);
  return {
    server,
    reports,
    get,
    data,
    keys: new BrowserKeys(data),
    enter: () => TestBrowser.signedIn(server.url),
    close: async () => {
      controller.abort();
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Not `fetch`: it would tidy the path and refuse to set the host. */
function send(port: number, path: string, headers: Record<string, string>, method: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}
