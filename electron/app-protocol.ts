/** `app://bundle/`: the built web client for the windows, from one folder and nowhere else. */
import { readFile } from 'node:fs/promises';
import { protocol } from 'electron';
import { webFile } from '#core/host/ownership/site/web-file.ts';
import type { Refusals } from './desktop/refusals.ts';

const SCHEME = 'app';
const HOST = 'bundle';
export const ORIGIN = `${SCHEME}://${HOST}`;

/** Must be called before the app is ready. */
export function declareScheme(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, codeCache: true };
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges }]);
}

/** `root` is canonical. What a page asks for and the bundle does not have is told. */
export function serveBundle(root: string, refusals: Pick<Refusals, 'note'>): void {
  protocol.handle(SCHEME, async ({ url, method }) => {
    const { host, pathname } = new URL(url);
    const { status, headers, body } =
      host === HOST && method === 'GET'
        ? await webFile(root, pathname)
        : { status: 404, headers: {}, body: 'Not found.\n' };
    if (status !== 200) refusals.note('path', `${method} ${url}`);
    const content = typeof body === 'string' ? body : new Uint8Array(await readFile(body.path));
    return new Response(content, { status, headers });
  });
}

/** Whether an address belongs to the app; anything that cannot be read as one does not. */
export function isOwn(url: string): boolean {
  return URL.canParse(url) && url.startsWith(`${ORIGIN}/`);
}
