/** `app://bundle/`: the built web client for the windows, from one folder and nowhere else. */
import { readFile } from 'node:fs/promises';
import { protocol } from 'electron';
import { webFile } from '#core/hosting/site/web-file.ts';

const SCHEME = 'app';
const HOST = 'bundle';
export const ORIGIN = `${SCHEME}://${HOST}`;

/** Must be called before the app is ready. */
export function declareScheme(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, codeCache: true };
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges }]);
}

/** `root` is canonical. */
export function serveBundle(root: string): void {
  protocol.handle(SCHEME, async ({ url, method }) => {
    const { host, pathname } = new URL(url);
    if (host !== HOST || method !== 'GET') return new Response('Not found.\n', { status: 404 });
    const { status, headers, body } = await webFile(root, pathname);
    const content = typeof body === 'string' ? body : new Uint8Array(await readFile(body.path));
    return new Response(content, { status, headers });
  });
}

/** Whether an address belongs to the app; anything that cannot be read as one does not. */
export function isOwn(url: string): boolean {
  return URL.canParse(url) && url.startsWith(`${ORIGIN}/`);
}
