/** What the built app's folder gives out, and with which headers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { policyOf } from '#core/host/ownership/site/headers.ts';
import { pathOf } from '#core/host/ownership/site/web-file.ts';
import { memoryClient } from '../support/memory-client.ts';
import { openSite, PAGE, type Site } from '../support/web-site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite(memoryClient());
});
afterAll(() => site.close());

test('every response has a content policy that forbids framing, and the other strict headers', async () => {
  const page = "default-src 'none'; script-src 'self' 'sha256-abc='; base-uri 'none'; frame-ancestors 'none'";
  const closed = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  for (const [path, policy, host] of [
    ['/', page, {}],
    ['/favicon.svg', page, {}],
    ['/missing.js', page, {}],
    ['/', closed, { host: 'evil.example' }],
  ] as const) {
    const { headers } = await site.get(path, host);
    expect(headers['content-security-policy'], path).toBe(policy);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['x-powered-by']).toBeUndefined();
  }
});

test('files have their types; hashed files are cached, others are revalidated', async () => {
  const script = await site.get('/_app/immutable/entry.js?v=1');
  expect([script.status, script.text]).toEqual([200, 'export {};']);
  expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(script.headers['cache-control']).toContain('immutable');
  const icon = await site.get('/favicon.svg');
  expect(icon.headers['content-type']).toBe('image/svg+xml');
  expect(icon.headers['cache-control']).toBe('no-cache');
  const head = await site.get('/favicon.svg', {}, 'HEAD');
  expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '6', '']);
});

test('a path of the app gets the page, a missing file does not', async () => {
  for (const path of ['/', '/history/018f-1', '/index.html', '/_app', '/settings?tab=keys']) {
    const answer = await site.get(path);
    expect([answer.status, answer.text], path).toEqual([200, PAGE]);
  }
  expect((await site.get('/_app/immutable/old.js')).status).toBe(404);
});

test('returns 404 for every path outside the folder', async () => {
  const paths = [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/_app/%2e%2e/%2e%2e/secret.txt',
    '/..%5csecret.txt',
    '/link.txt',
    '/%00/secret.txt',
    '/%zz',
  ];
  for (const path of paths) {
    const answer = await site.get(path);
    expect(answer.status, path).toBe(404);
    expect(answer.text).not.toContain('secret');
  }
});

test('rejects paths with dot segments, backslashes or invalid escapes', () => {
  expect(pathOf('/a%20b?c=/../d')).toBe('/a b');
  for (const url of ['/a/../b', '/a/./b', '/%2e%2e', '/a\\b', '/%5c', '/%00', '/%', 'http://elsewhere/'])
    expect(pathOf(url), url).toBeNull();
});

test('reads the policy from the meta element of the page, with entities decoded', () => {
  expect(
    policyOf('<meta http-equiv="content-security-policy" content="script-src &#39;self&#39; &quot;x&quot;;">'),
  ).toBe('script-src \'self\' "x"');
  expect(policyOf('<meta name="color-scheme" content="dark">')).toBeNull();
});
