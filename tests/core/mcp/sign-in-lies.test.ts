/** Servers that lie about their sign-ins: each ends with one sentence, and nothing goes where it should not. */
import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { start } from '#core/mcp/sign-in/flow.ts';
import { type Guard, guardedFetch } from '#core/mcp/sign-in/guarded-fetch.ts';
import { browse, type SignInSite, type SiteOptions, startSignInSite } from '../../support/web/sign-in-site.ts';
import { at, personAt, signedIn } from './sign-in-person.ts';
import { never, reference } from './support.ts';

const AS = '/.well-known/oauth-authorization-server';
const RESOURCE = '/.well-known/oauth-protected-resource/mcp';
const says = (path: string, text: string): SiteOptions => ({
  instead: {
    [path]: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
  },
});
const redirects = (path: string, to: string): SiteOptions => ({
  instead: { [path]: (response) => response.writeHead(307, { location: to }).end() },
});
const refuses = (path: string, status: number): SiteOptions => ({
  instead: { [path]: (response) => response.writeHead(status).end('planted-words') },
});
const endpoint = (address: string, name = 'token_endpoint'): SiteOptions => ({ metadata: () => ({ [name]: address }) });

const LIES: readonly [what: string, lie: SiteOptions, code: string, sentence: RegExp][] = [
  ['javascript', endpoint('javascript:alert(1)', 'authorization_endpoint'), 'provider', /cannot be used$/],
  ['a file', endpoint('file:///etc/passwd', 'authorization_endpoint'), 'not_allowed', /^file: is no safe address/],
  ['a file for tokens', endpoint('file:///etc/passwd'), 'not_allowed', /^file: is no safe address/],
  ['no TLS', endpoint('http://as.test/authorize', 'authorization_endpoint'), 'not_allowed', /^as\.test is no safe/],
  ['revocation without TLS', endpoint('http://a.test/', 'revocation_endpoint'), 'not_allowed', /a\.test is no safe/],
  ['no registration', { metadata: () => ({ registration_endpoint: undefined }) }, 'not_allowed', /register itself/],
  ['another issuer', { metadata: () => ({ issuer: 'https://bank.test' }) }, 'provider', /not of the issuer/],
  ['no PKCE', { metadata: () => ({ code_challenge_methods_supported: undefined }) }, 'not_allowed', /PKCE/],
  ['plain PKCE', { metadata: () => ({ code_challenge_methods_supported: ['plain'] }) }, 'not_allowed', /PKCE/],
  ['another server', { described: () => ({ resource: 'https://bank.test/' }) }, 'not_allowed', /another server: bank/],
  [
    'a place without TLS',
    { described: () => ({ authorization_servers: ['http://as.test'] }) },
    'not_allowed',
    /as\.test/,
  ],
  ['a place of a file', { described: () => ({ authorization_servers: ['file:///x'] }) }, 'not_allowed', /file:/],
  ['nothing', { isOld: true, instead: { [AS]: gone } }, 'not_allowed', /does not say where/],
  ['no JSON', says(AS, '{'), 'provider', /is no JSON$/],
  ['too much', says(AS, `"${'x'.repeat(300_000)}"`), 'limit_reached', /more than 256 KiB$/],
  ['too much of itself', says(RESOURCE, `"${'x'.repeat(300_000)}"`), 'limit_reached', /more than 256 KiB$/],
  ['a redirect elsewhere', redirects(AS, 'http://127.0.0.1:1/'), 'not_allowed', /does not say where/],
  ['redirects without an end', redirects(AS, AS), 'not_allowed', /does not say where/],
  ['a refusal', refuses('/register', 403), 'provider', /refused there \(HTTP 403\)$/],
  [
    'a long scope',
    { described: () => ({ scopes_supported: ['x'.repeat(9000)] }) },
    'limit_reached',
    /too long to open$/,
  ],
];
function gone(response: Parameters<NonNullable<SiteOptions['instead']>[string]>[0]): void {
  response.writeHead(404).end();
}

test.for(LIES)('a sign-in with %s is refused', async ([, lie, code, sentence]) => {
  const site = await startSignInSite(lie);
  const { signIns, server } = await personAt(site);
  const fault = (await signIns.begin(server).catch((error: unknown) => error)) as Error;
  expect(fault).toMatchObject({ code });
  const [start, rest] = fault.message.split('": ');
  expect(start).toMatch(/^You are not signed in to the MCP server "web$/);
  expect(rest).toMatch(sentence);
  expect(fault.message).not.toContain('planted-words');
  expect([site.count('/token'), site.seen.length < 20]).toEqual([0, true]);
});

test('a server that is started by a command has no sign-in', async () => {
  const { signIns } = await personAt(await startSignInSite());
  expect(await signIns.stateOf(reference('memory'))).toBe('none');
  await expect(signIns.begin(reference('memory'))).rejects.toMatchObject({ code: 'not_allowed' });
});

test('signs in to an old server without metadata at the default endpoints', async () => {
  await signedIn({ isOld: true });
});

const TOKENS: readonly [what: string, lie: SiteOptions, sentence: string][] = [
  ['that breaks a header', { tokens: { access_token: 'planted\r\nx: y' } }, 'a token of a kind that cannot be used'],
  ['of a kind that nobody asked for', { tokens: { token_type: 'DPoP' } }, 'a token of a kind that cannot be used'],
  ['that is none', { tokens: { access_token: undefined } }, 'cannot be used'],
  ['too long', { tokens: { access_token: 'x'.repeat(20_000) } }, 'a token of a kind that cannot be used'],
  ['after a redirect', redirects('/token', 'http://127.0.0.1:1/'), 'the error server_error'],
  ['with an error', says('/token', '{"error":"invalid_scope","error_description":"planted"}'), 'error invalid_scope'],
];

test.for(TOKENS)('rejects a token %s', async ([, lie, sentence]) => {
  const { signIns, server, login } = await personAt(await startSignInSite(lie));
  const page = await login();
  expect(page).toContain(sentence);
  expect(page).not.toContain('planted');
  expect(await signIns.stateOf(server)).toBe('none');
});

test('rejects a sign-in answer of another issuer', async () => {
  const site = await startSignInSite();
  const { signIns, server } = await personAt(site);
  const { url } = await signIns.begin(server);
  const back = await fetch(url, { redirect: 'manual' });
  const page = await browse(`${back.headers.get('location')}&iss=https://bank.test`);
  expect(page).toContain('the sign-in is not of the issuer that it says');
  expect(site.count('/token')).toBe(0);
});

test('escapes markup in the error shown on the sign-in page', async () => {
  const { signIns, server } = await personAt(await startSignInSite());
  const { searchParams } = new URL((await signIns.begin(server)).url);
  const state = searchParams.get('state');
  const page = await browse(`${searchParams.get('redirect_uri')}?state=${state}&error=${encodeURIComponent('<b>&')}`);
  expect(page).toContain('the sign-in ended with the error &lt;b&gt;&amp;');
});

const PRIVATE = ['10.0.0.1', '127.0.0.1', '192.168.1.1', '169.254.169.254', '[::1]', '[fd00::1]', 'inside.test'];
const NAMES: Record<string, string> = {
  'mcp.test': '93.184.215.14',
  'inside.test': '10.1.2.3',
  'lan.test': '10.0.0.9',
};
const guarded = (more: Partial<Guard> = {}) =>
  guardedFetch({
    server: 'https://mcp.test/mcp',
    signal: never,
    resolve: (name): Promise<LookupAddress[]> => Promise.resolve([{ address: NAMES[name] ?? '', family: 4 }]),
    ...more,
  });

test.for(PRIVATE)('rejects the private address %s from a server on the internet', async (host) => {
  const fault = { code: 'not_allowed', message: expect.stringContaining('lies in a private network') as string };
  await expect(guarded()(`https://${host}/token`)).rejects.toMatchObject(fault);
});

test('a server in a private network can name private addresses, but only with TLS', async () => {
  const fetch = guarded({ server: 'https://lan.test/mcp', limits: { ms: 10_000, bytes: 1 } });
  const fault = (await fetch('https://127.0.0.1:1/').catch((error: unknown) => error)) as Error;
  expect(fault).toMatchObject({ code: 'unreachable', message: expect.stringContaining('127.0.0.1:1') as string });
  for (const url of ['http://127.0.0.1:1/', 'http://lan.test/', 'https://user:word@lan.test/'])
    await expect(fetch(url)).rejects.toMatchObject({ code: 'not_allowed' });
  const { signIns } = await personAt(await startSignInSite());
  const begun = signIns.begin(at('http://lan.test/mcp'));
  await expect(begun).rejects.toMatchObject({ message: expect.stringContaining('only https is') as string });
});

test('checks the authorization address before the person is sent to it', async () => {
  const site = await startSignInSite(endpoint('https://as.test/authorize', 'authorization_endpoint'));
  const resolve = (): Promise<never> => Promise.reject(new Error('none'));
  const asked = { url: site.url, headers: {}, missing: undefined };
  const callback = { redirectUrl: 'http://127.0.0.1:1/', state: 'x' };
  await expect(start(asked, callback, { server: site.url, signal: never, resolve })).rejects.toMatchObject({
    code: 'unreachable',
    message: 'as.test cannot be reached: it has no address',
  });
});

test('accepts a token endpoint on another host than its issuer', async () => {
  const elsewhere = ({ url }: SignInSite) => ({ token_endpoint: new URL('/token', url).href });
  const { site } = await signedIn({ isSeparate: true, metadata: elsewhere });
  expect(site.signing.some(({ path }) => path === '/token')).toBe(false);
});

test('tries all addresses of a host name and uses the answering address', async () => {
  const site = await startSignInSite();
  const resolve = (): Promise<LookupAddress[]> =>
    Promise.resolve([
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ]);
  const url = site.url.replace('127.0.0.1', 'localhost');
  expect((await guarded({ server: url, resolve })(url)).status).toBe(401);
});

test('gives up a slow server after the time limit', async () => {
  const slow = createServer((request, response) => void (request.url === '/dribbles' && response.write(' ')));
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void (slow.close(), slow.closeAllConnections()));
  const origin = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
  const fetch = guarded({ server: origin, limits: { ms: 50, bytes: 1000 } });
  for (const path of ['/', '/dribbles'])
    await expect(fetch(`${origin}${path}`)).rejects.toMatchObject({
      code: 'limit_reached',
      message: expect.stringMatching(/did not answer within 0\.05 s$/) as string,
    });
});
