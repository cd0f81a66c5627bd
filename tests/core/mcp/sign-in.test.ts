/** Signing in to a server at an address: a real authorization server, a browser that follows it, and what the key store keeps. */
import { expect, test } from 'vitest';
import { signedFetch, Veil } from '#core/mcp/signed-fetch.ts';
import { browse, startSignInSite } from '../../support/web/sign-in-site.ts';
import { at, personAt, signedIn } from './sign-in-person.ts';
import { never } from './support.ts';
import { variations } from '../../support/samples.ts';

const NEEDED = { code: 'auth', message: 'The MCP server "web" needs sign-in: triad mcp login web' };
const expectNeeded = (work: Promise<unknown>) => expect(work).rejects.toMatchObject(NEEDED);

test.for(variations([{ isSeparate: false }, { isSeparate: true }]))(
  'a sign-in works, persists in a later program and ends with signing out: %o',
  async (options) => {
    const site = await startSignInSite(options);
    const { signIns, server, call, login, changes, keys } = await personAt(site);
    expect(await signIns.stateOf(server)).toBe('none');
    await expectNeeded(call());
    expect(await signIns.stateOf(server)).toBe('out');
    expect(site.count('/.well-known') + site.count('/register')).toBe(0);
    expect(await login()).toContain('You are signed in to the MCP server "web"');
    expect(await call()).toContain('you sent');
    expect([await signIns.stateOf(server), changes.at(-1)]).toEqual(['in', 'web in']);

    const later = await personAt(site, { keys });
    expect(await later.signIns.stateOf(server)).toBe('in');
    expect(await later.call()).toContain('you sent');

    await later.signIns.forget(server);
    expect(site.seen.at(-1)).toMatchObject({ path: '/revoke', body: expect.stringContaining(site.refresh!) as string });
    await expectNeeded(later.call('work', '/b'));
    expect([await signIns.stateOf(server), await later.signIns.stateOf(server)]).toEqual(['out', 'out']);
    for (const secret of site.secrets) expect(JSON.stringify([...keys.kept])).not.toContain(secret);
    // What is configured for the server is for the server.
    const [own, others] = [
      site.seen.filter(({ path }) => path === '/mcp'),
      site.seen.filter(({ path }) => path !== '/mcp'),
    ];
    expect(own.every(({ headers }) => headers['x-tenant'] === 'planted-tenant')).toBe(true);
    expect(others.some(({ headers }) => headers['x-tenant'] !== undefined)).toBe(false);
    expect(site.signing.length > 0).toBe(options.isSeparate);
  },
);

test.for(variations(['is refused', 'has run out'] as const))(
  'a token that %s is renewed once for three simultaneous calls',
  async (why) => {
    const { site, call } = await signedIn(why === 'has run out' ? { tokens: { expires_in: 1 } } : {});
    site.options.tokens = {};
    if (why === 'is refused') site.access = 'another';
    await Promise.all(['/a', '/b', '/c'].map((folder) => call('work', folder)));
    expect([site.count('/token', 'refresh_token='), site.count('/token')]).toEqual([1, 2]);
  },
);

test('a refused renewal deletes the tokens and says how to sign in again', async () => {
  const { site, call, signIns, server, keys, changes } = await signedIn();
  expect(await call()).toContain('you sent');
  [site.deny, site.access] = ['refresh', 'another'];
  await expectNeeded(call());
  expect([await signIns.stateOf(server), changes.at(-1)]).toEqual(['out', 'web out']);
  for (const secret of site.secrets) expect(JSON.stringify([...keys.kept])).not.toContain(secret);
  await expectNeeded(call());
  expect(site.count('/token', 'refresh_token=')).toBe(1);
});

test('a temporarily failed renewal keeps the sign-in', async () => {
  const { site, call, signIns, server } = await signedIn();
  [site.deny, site.access] = ['passing', 'another'];
  await expect(call('work', '/b')).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/^The MCP server "web" needs its sign-in renewed, which failed: [^{]*$/) as string,
  });
  expect(await signIns.stateOf(server)).toBe('in');
  site.deny = null;
  expect(await call('work', '/c')).toContain('you sent');
});

test('a new token that is refused too ends the sign-in', async () => {
  const { site, call, signIns, server } = await signedIn();
  site.options.instead = { '/mcp': (response) => response.writeHead(401).end() };
  await expectNeeded(call());
  expect([await signIns.stateOf(server), site.count('/token')]).toEqual(['out', 2]);
});

test('signing out during a renewal stays effective', async () => {
  const { site, call, signIns, server } = await signedIn();
  site.access = 'another';
  site.options.instead = {
    '/token': (response) => {
      const body = JSON.stringify({ access_token: 'late', token_type: 'Bearer' });
      site.access = 'late';
      void signIns.forget(server).then(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
    },
  };
  await expectNeeded(call());
  expect(await signIns.stateOf(server)).toBe('out');
});

test('a missing scope of a tool is requested by the next sign-in', async () => {
  const { site, call, login, signIns, server } = await signedIn();
  await expect(call('write')).rejects.toMatchObject({
    code: 'auth',
    message: 'The MCP server "web" needs a sign-in that allows more: triad mcp logout web, then triad mcp login web',
  });
  await signIns.forget(server);
  await login();
  expect(site.scope).toBe('read write');
  expect(await call('write')).toContain('you sent');
});

test('another address gets no token, whatever the server name; no secret reference can name a stored token', async () => {
  const { signIns, keys } = await signedIn();
  const other = await startSignInSite();
  expect(await signIns.stateOf(at(other.url))).toBe('none');
  expect(await signIns.access('web', other.url).token()).toBeNull();
  expect(await signIns.access('other', other.url).token()).toBeNull();
  const names = [...keys.kept.keys()];
  expect(names).toHaveLength(1);
  for (const name of names) expect(name.slice('mcp:web:'.length)).not.toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/);
  await signIns.forgetAll('web');
  expect(keys.kept.size).toBe(0);
});

test('damaged data in the key store counts as no sign-in', async () => {
  const { signIns, server, keys, login } = await signedIn();
  for (const text of ['{', '[]', JSON.stringify({ [server.transport.kind]: 1 })]) {
    for (const name of keys.kept.keys()) keys.kept.set(name, text);
    expect(await signIns.stateOf(server)).toBe('none');
  }
  await login();
  expect(await signIns.stateOf(server)).toBe('in');
});

test('tokens are redacted from results, errors and the state of a server', async () => {
  const { site, server, pool, call, keys } = await signedIn();
  const words = [await call(), await call('breaks').catch(String)];
  expect(words[0]).toBe('you sent Bearer [a token of a sign-in]');
  site.deny = 'refresh';
  site.access = 'another';
  words.push(await call().catch(String), JSON.stringify(pool.state('/a')));
  expect(words[1]).toContain('HTTP 500');
  expect(site.secrets.length).toBe(2);
  for (const secret of site.secrets) expect(words.join()).not.toContain(secret);
  expect(JSON.stringify(server)).not.toContain('access-');
  expect(keys.kept.size).toBe(1);
});

test('accepts only the matching sign-in answer, and a denied sign-in leaves the person signed out', async () => {
  const site = await startSignInSite();
  const { signIns, server, changes } = await personAt(site);
  const { url } = await signIns.begin(server);
  const redirect = new URL(url).searchParams.get('redirect_uri')!;
  const wrong = await fetch(`${redirect}?code=x&state=guessed`);
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('no answer to the sign-in')]);
  expect((await fetch(new URL('/', redirect))).status).toBe(404);
  expect((await fetch(redirect, { method: 'POST' })).status).toBe(404);
  site.deny = 'login';
  const page = await fetch(url);
  const text = await page.text();
  expect(text).toContain('You are not signed in to the MCP server "web": access was denied there.');
  expect(text).not.toContain('<script');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  await expect(fetch(redirect)).rejects.toThrow();
  expect([await signIns.stateOf(server), changes, site.count('/token')]).toEqual(['none', [], 0]);
});

test.for(['by the next', 'by time', 'with the program', 'by signing out'] as const)(
  'an unanswered sign-in ends %s',
  async (how) => {
    const site = await startSignInSite();
    const { signIns, server } = await personAt(site, how === 'by time' ? { patienceMs: 20 } : {});
    const { url } = await signIns.begin(server);
    if (how === 'by the next') await signIns.begin(server);
    if (how === 'with the program') signIns.end();
    if (how === 'by signing out') await signIns.forget(server);
    await expect
      .poll(() => fetch(new URL(url).searchParams.get('redirect_uri')!).then(String, () => 'closed'))
      .toBe('closed');
    await expect(browse(url)).rejects.toThrow();
    expect(await signIns.stateOf(server)).toBe('none');
  },
);

test('a sign-in makes a failed server usable at once, but not a stopped server', async () => {
  const { pool, server, call, login } = await personAt(await startSignInSite());
  await expectNeeded(call());
  expect(pool.state('/a')).toMatchObject([{ status: 'failed' }]);
  await login();
  expect(await call()).toContain('you sent');
  await pool.stop(server, '/a');
  await login();
  await expect(pool.use(server, '/a').server.tools(never)).rejects.toMatchObject({ code: 'conflict' });
});

test('a late renewal of an old token returns the token that another user renewed', async () => {
  const { site, server, signIns } = await signedIn();
  const access = signIns.access('web', site.url);
  const old = await access.token();
  const renewed = await access.renewed(old);
  expect(await access.renewed(old)).toBe(renewed);
  expect([await signIns.stateOf(server), site.count('/token', 'refresh_token=')]).toEqual(['in', 1]);
});

test('a token goes to the origin of its server alone', async () => {
  const { site, signIns } = await signedIn();
  const sent: (string | null)[] = [];
  const fetch = signedFetch(
    (_, init) => {
      sent.push(new Headers(init?.headers).get('authorization'));
      return Promise.resolve(new Response());
    },
    site.url,
    signIns.access('web', site.url),
    new Veil(),
  );
  for (const url of [site.url, 'https://127.0.0.1/mcp', 'http://evil.test/mcp']) await fetch(url);
  expect(sent).toEqual([`Bearer ${site.access}`, null, null]);
});

test('sends a configured authorization header with calls, but not with sign-in requests', async () => {
  const { site, signIns, pool } = await personAt(await startSignInSite());
  const server = at(site.url, { authorization: 'Bearer planted-key' });
  await expectNeeded(pool.use(server, '/a').server.tools(never));
  expect(site.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer planted-key']);
  await browse((await signIns.begin(server)).url);
  expect(site.seen.filter(({ headers }) => headers.authorization !== undefined)).toHaveLength(1);
});
