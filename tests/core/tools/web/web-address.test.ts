/** Addresses in one form, the targets that rules match, and which IP addresses are public. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPermitted } from '#core/settings/web-settings.ts';
import { checkSettings } from '#core/settings/settings.ts';
import { isPublic } from '#core/base/public-address.ts';
import { addressTargets, webAddress } from '#core/tools/web/web-address.ts';
import { samples } from '../../../support/samples.ts';

test.for<[string, string]>([
  ['HTTPS://Docs.Example.ORG:443/a/../b?q=1#part', 'https://docs.example.org/b?q=1'],
  ['http://example.org.', 'http://example.org/'],
  ['http://example.org..:80/%61%2fb?%7e', 'http://example.org/a%2Fb?~'],
  ['https://münchen.example/ü', 'https://xn--mnchen-3ya.example/%C3%BC'],
  ['https://x.example/%2561', 'https://x.example/%2561'],
  ['https://x.example/%%36%31?100%&%%361', 'https://x.example/%2561?100%25&%2561'],
])('normalizes %s to %s', ([written, address]) => {
  expect(webAddress(written).href).toBe(address);
});

test.for([
  '',
  'docs.example.org',
  '/path',
  'https://',
  'https://a b/',
  'data:text/html,x',
  'blob:https://x/1',
  `https://x/${'a'.repeat(2048)}`,
])('rejects %s, which is not a valid web address', (written) => {
  expect(() => webAddress(written)).toThrow(expect.objectContaining({ code: 'bad_input' }));
});

test.for<[string, string]>([
  ['x'.repeat(101), `${'x'.repeat(100)}… is no address: write it whole, with https://`],
  ['x'.repeat(100), `${'x'.repeat(100)} is no address: write it whole, with https://`],
  ['ftp://x.example/', 'ftp://x.example/ is not read: only http and https addresses are'],
  ['http://me@x.example/', 'An address with a name and a password in it is not read: leave them out'],
  ['http://:key@x.example/', 'An address with a name and a password in it is not read: leave them out'],
  [`https://x.example/${'a'.repeat(2031)}`, 'The address has more than 2048 characters'],
])('rejects %s with the reason', ([written, message]) => {
  expect(() => webAddress(written)).toThrow(expect.objectContaining({ code: 'bad_input', message }));
});

test('accepts an address of 2048 characters and a relative address with a base', () => {
  expect(webAddress(`https://x.example/${'a'.repeat(2030)}`).href).toHaveLength(2048);
  expect(webAddress('../b', new URL('https://x.example/a/c')).href).toBe('https://x.example/b');
  expect(webAddress('http://.../').hostname).toBe('...');
});

test('a query adds a separate rule target, so that a rule for the address alone does not allow the query', () => {
  expect(addressTargets(webAddress('https://x.example/a'))).toEqual(['https://x.example/a']);
  expect(addressTargets(webAddress('https://x.example/a?q=1'))).toEqual([
    'https://x.example/a?q=1',
    'https://x.example/a',
  ]);
});

const escaped = fc
  .array(fc.constantFrom('%', '61', '2f', '2E', '.', '/', '?', '#', '\\', 'ü', 'a'))
  .map((parts) => parts.join(''));

test('normalizing a normalized address changes nothing', () => {
  fc.assert(
    fc.property(fc.constantFrom('x.example', 'X.example.', '0x7f.1', '[::1]:80'), escaped, (host, rest) => {
      const { href } = webAddress(`http://${host}/${rest}`);
      expect(webAddress(href).href).toBe(href);
    }),
    samples(100),
  );
});

test('treats ordinary IPv4 addresses and their IPv6 translations as public', () => {
  for (const address of ['1.1.1.1', '8.8.8.8', '100.63.255.255', '172.32.0.1', '192.0.1.1', '223.255.255.255']) {
    expect([address, isPublic(address)]).toEqual([address, true]);
    expect(isPublic(`64:ff9b::${address}`)).toBe(true);
  }
  for (const address of ['2606:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888'])
    expect(isPublic(address)).toBe(true);
  for (const address of ['', 'localhost', '1.1.1', '::', 'fe80::1%eth0', '2606:4700::1%eth0'])
    expect(isPublic(address)).toBe(false);
});

test('treats no written form of a private address as public', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const first = fc.constantFrom([10], [127], [0], [192, 168], [169, 254], [172, 20], [100, 100], [224], [255]);
  fc.assert(
    fc.property(first, fc.tuple(byte, byte, byte), (start, rest) => {
      const four = [...start, ...rest].slice(0, 4).join('.');
      for (const address of [four, `::ffff:${four}`, `::${four}`, `64:ff9b::${four}`, `64:ff9b:1::${four}`])
        expect([address, isPublic(address)]).toEqual([address, false]);
    }),
    samples(100),
  );
});

test.for(['localhost', 'localhost:3000', '127.0.0.1', '[::1]:80', 'wiki.corp'])(
  '%s is a valid entry of web.private_hosts and permits only that host',
  (host) => {
    expect(checkSettings(`web.private_hosts = ["${host}"]`).ok).toBe(true);
    expect(isPermitted(new URL(`http://${host}/a`), [host])).toBe(true);
    expect(isPermitted(new URL('http://sub.localhost/'), [host])).toBe(false);
  },
);

test.for([
  '*',
  '*.corp',
  'http://localhost',
  'LOCALHOST',
  '127.1',
  '::1',
  'localhost:',
  'localhost:99999',
  'a/b',
  'a@b',
  '',
])('rejects %j as an entry of web.private_hosts', (host) => {
  expect(checkSettings(`web.private_hosts = ["${host}"]`).ok).toBe(false);
});

test('an entry with the default port permits an address without a port', () => {
  expect(isPermitted(new URL('http://localhost/'), ['localhost:80'])).toBe(true);
  expect(isPermitted(new URL('https://localhost/'), ['localhost:443'])).toBe(true);
  expect(isPermitted(new URL('https://localhost/'), ['localhost:80'])).toBe(false);
  expect(isPermitted(new URL('http://localhost:81/'), ['localhost:80'])).toBe(false);
});
