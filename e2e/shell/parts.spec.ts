/** Every part in every state, on the page that only a build of its own has: in each theme by the rules of axe. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { expectAccessibleInBoth, SAME_PAGE } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const ROOT = join(import.meta.dirname, '../..');
const PARTS = join(ROOT, 'dist/parts');
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The files of the build; any other address is the page. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const file = extname(pathname) === '' ? 'index.html' : pathname;
  const content = await readFile(join(PARTS, file)).catch(() => null);
  if (content === null) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/html' }).end(content);
}

/** Generous: it is built first, and the machine may be busy. */
const WITH_BUILD_MS = 300_000;

test(
  'every part can be read, with normal and with high contrast, in light and in dark',
  fullSpec(
    [
      'tests/lib/ui/colours.test.ts › words can be read on all that they stand on',
      'tests/lib/ui/colours.test.ts › high contrast gives each colour another value, and no colour stands anywhere else',
      'tests/routes/parts.test.ts › every shared component is on the page of parts, or listed here with why it is not',
    ],
    { tag: '@browser', annotation: SAME_PAGE },
  ),
  async ({ browser }) => {
    test.setTimeout(WITH_BUILD_MS);
    const build = ['node_modules/vite/bin/vite.js', 'build', '--mode', 'parts'];
    await promisify(execFile)(process.execPath, build, { cwd: ROOT });
    const server = createServer((request, response) => void serve(request, response));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    try {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('It listens nowhere');
      for (const contrast of ['normal', 'more']) {
        const page = await browser.newPage();
        await page.addInitScript((name) => localStorage.setItem('triad-contrast', name), contrast);
        await page.goto(`http://127.0.0.1:${address.port}/parts`);
        await expect(page.locator(`[data-parts-page=${contrast}]`)).toBeVisible();
        await expect(page.locator('[class^=token-]').first()).toBeVisible();
        await expectAccessibleInBoth(page, `parts, contrast ${contrast}`);
        await page.close();
      }
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
);
