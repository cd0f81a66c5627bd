/** Every part in every state, on the page that only a build of its own has: in each theme by the rules of axe. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { expectAccessibleInBoth, SAME_PAGE } from '../support/accessible.ts';
import { expect, test } from '../support/test.ts';

const ROOT = join(import.meta.dirname, '../..');
const PARTS = join(ROOT, 'dist/parts');
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The files of the build; any other address is the page. */
const server = createServer((request, response) => void serve(request, response));

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const file = extname(pathname) === '' ? 'index.html' : pathname;
  const content = await readFile(join(PARTS, file)).catch(() => null);
  if (content === null) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/html' }).end(content);
}

test.describe('the page of parts', { tag: ['@soak', '@browser'], annotation: SAME_PAGE }, () => {
  test.beforeAll(async () => {
    await promisify(execFile)(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--mode', 'parts'], {
      cwd: ROOT,
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  test.afterAll(() => server.close());

  for (const contrast of ['normal', 'more']) {
    test(`can be read with contrast ${contrast}, in light and in dark`, async ({ browser }) => {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('It listens nowhere');
      const page = await browser.newPage();
      await page.addInitScript((name) => localStorage.setItem('triad-contrast', name), contrast);
      await page.goto(`http://127.0.0.1:${address.port}/parts`);
      await expect(page.locator(`[data-parts-page=${contrast}]`)).toBeVisible();
      await expect(page.locator('[class^=token-]').first()).toBeVisible();
      await expectAccessibleInBoth(page, `parts, contrast ${contrast}`);
      await page.close();
    });
  }
});
