/** No address leads web_fetch to what is not public: neither as it is written, nor by its name, nor by a redirect. */
import type { LookupAddress } from 'node:dns';
import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { webFetchTool } from '#core/tools/web/web-fetch.ts';
import { call, contextIn, contextWith } from '../../../support/workspace.ts';
import { listening, type WebServer, webServer } from '../../../support/web/web-server.ts';

/** `HOST:PORT` of the addresses; the port is that of the servers that must not be reached. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  'the name of this machine': ['localhost', 'LOCALHOST', 'localhost.', 'ⓛocalhost', 'local%68ost', 'loc\tal\nhost'],
  loopback: ['127.0.0.1', '127.0.0.1.', '127.0.0.2', '127.1', '127.0.1', '127.255.255.254', '0.0.0.0', '0', '0.1'],
  'other forms of its number': [
    ...['2130706433', '0x7f000001', '0x7f.1', '0x7F.0.0.1', '017700000001', '0177.0.0.1', '0177.1', '127.0.0.0x1'],
    ...['00000177.0.0.01', '0x7f.0.0x0.01', '%31%32%37.0.0.1', '127。0。0。1', '127．0．0．1', '127｡1', '１２７.0.0.1'],
    ...['①②⑦.0.0.①', '𝟏𝟐𝟕.0.0.1'],
  ],
  'private IPv4': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '0xa.1', '3232235777', '0300.0250.1.1'],
  'shared, link-local, metadata': ['100.64.0.1', '100.127.255.255', '169.254.169.254', '0xA9FEA9FE', '169.254.43518'],
  'IPv4 for documents, tests, protocols and many': [
    ...['192.0.0.8', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1'],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ],
  'loopback of IPv6': ['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0.0.0.1]', '[::]', '[::127.0.0.1]'],
  'IPv4 within IPv6': [
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:7F00:0001]', '[0:0:0:0:0:ffff:127.0.0.1]'],
    ...['[::ffff:10.0.0.1]', '[::ffff:a9fe:a9fe]', '[::ffff:0:127.0.0.1]'],
  ],
  'IPv4 behind a translation or a tunnel': [
    ...['[64:ff9b::127.0.0.1]', '[64:ff9b::a00:1]', '[64:ff9b::c0a8:101]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::1]'],
    ...['[64:ff9b:1:7f00:1::]', '[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:c0a8:101::]'],
    ...['[2001:0:4136:e378:8000:63bf:80ff:fffe]', '[2001::1]'],
  ],
  'IPv6 that is local, for documents, or for many': [
    ...['[fc00::1]', '[fd12:3456:789a::1]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[ff02::1]', '[ff0e::1]'],
    ...['[2001:db8::1]', '[2001:10::1]', '[3fff::1]', '[100::1]', '[5f00::1]', '[4000::1]'],
  ],
};

/** Addresses to which a name leads, the closed one not always first. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  'to this machine': ['127.0.0.1'],
  'to its IPv6': ['::1'],
  'to a public one and this machine': ['93.184.215.14', '127.0.0.1'],
  'to public IPv6 and private IPv4': ['2606:2800:21f:cb07::1', '10.1.2.3'],
  'to mapped IPv4': ['::ffff:127.0.0.1'],
  'to link-local with a zone': ['fe80::1%lo'],
  'to a public one with a zone': ['2606:2800::1%lo'],
  'to metadata of a cloud': ['169.254.169.254'],
  'to no address': ['localhost'],
};

/** Servers on both loopback addresses, at one port. */
async function closedServers(answer: RequestListener = (_, response) => response.end('reached')): Promise<WebServer[]> {
  const four = await webServer(answer);
  const six = await listening(answer, { address: '::1', port: four.port });
  return six ? [four, six] : [four];
}

const reached = (servers: readonly WebServer[]) => servers.map(({ connections }) => connections);
const none = (servers: readonly WebServer[]) => servers.map(() => 0);

const fetched = (url: string, privateHosts: readonly string[] = [], ...tool: Parameters<typeof webFetchTool>) =>
  call(webFetchTool(...tool), { url }, contextWith(contextIn('/'), { web: { privateHosts } }));

describe.for(Object.entries(WRITTEN))('%s', ([, hosts]) => {
  test.for(hosts)('rejects %j without opening a connection', async (host) => {
    const servers = await closedServers();
    const [{ port } = { port: 0 }] = servers;
    const result = await fetched(`http://${host}:${port}/secret`);
    expect(result).toMatchObject({ status: 'error', metadata: { refused: true } });
    expect(result.output).toMatch(/ is not public.* Only a person can permit it, with web\.private_hosts/);
    expect(reached(servers)).toEqual(none(servers));
  });
});

test('the list has more than sixty different private addresses', () => {
  expect(new Set(Object.values(WRITTEN).flat()).size).toBeGreaterThan(60);
});

const resolved = (addresses: readonly string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

test.for(Object.entries(NAMED))('rejects a name that resolves %s', async ([, addresses]) => {
  const servers = await closedServers();
  const url = `http://innocent.example:${servers[0]?.port}/`;
  const { status, output } = await fetched(url, [], () => Promise.resolve(resolved(addresses)));
  expect([status, output]).toEqual([
    'error',
    expect.stringMatching(/^innocent\.example:\d+ is not public: its address/),
  ]);
  expect(reached(servers)).toEqual(none(servers));
});

test.for([
  'http://user@127.0.0.1',
  'http://127.0.0.1:1@example.com',
  'file:///etc/passwd',
  'ftp://127.0.0.1',
  'gopher://127.0.0.1',
])('rejects %s, which has a user name or is not an HTTP address', async (address) => {
  const { status, output } = await fetched(address);
  expect([status, output]).toEqual(['error', expect.stringMatching(/ is not read: /)]);
});

test('the error names the private address and says that only a person can permit it', async () => {
  const end = 'Only a person can permit it, with web.private_hosts in their settings';
  expect((await fetched('http://127.0.0.1:9/')).output).toBe(`127.0.0.1:9 is not public. ${end}`);
  const resolve = () => Promise.resolve(resolved(['1.1.1.1', '10.0.0.1']));
  expect((await fetched('http://name.example/', [], resolve)).output).toBe(
    `name.example is not public: its address is 10.0.0.1. ${end}`,
  );
});

test('permitting a host does not permit another name, address or port', async () => {
  const servers = await closedServers();
  const [{ port } = { port: 0 }] = servers;
  const permitted = [`localhost:${port + 1}`, 'sub.localhost', '127.0.0.2'];
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    expect((await fetched(`http://${host}:${port}/`, permitted)).metadata).toEqual({ refused: true });
  expect(reached(servers)).toEqual(none(servers));
});

const PLACES = ['http://127.0.0.1', 'http://localhost', 'http://0x7f.1', '//[::1]', 'http://[::ffff:7f00:1]'];

test.for(PLACES)('does not follow a redirect to %s, and rejects a request for that address', async (place) => {
  const closed = await closedServers();
  const target = `${place}:${closed[0]?.port}/secret`;
  const open = await webServer((_, response) => response.writeHead(302, { location: target }).end());
  const first = await fetched(open.url, [open.host]);
  expect(first.metadata).toMatchObject({ status: 302, moved: expect.any(String) as string });
  const second = await fetched(String(first.metadata?.['moved']), [open.host]);
  expect(second.metadata).toEqual({ refused: true });
  expect(reached(closed)).toEqual(none(closed));
});

describe('a name that resolves to another address the next time', () => {
  const answers = (...each: string[][]) => {
    const asked: string[] = [];
    const resolve = (name: string) => {
      asked.push(name);
      return Promise.resolve(resolved(each[asked.length - 1] ?? []));
    };
    return { asked, resolve };
  };

  test('connects to the address that was checked', async () => {
    const open = await webServer((_, response) => response.end('the first'));
    const other = await listening((_, response) => response.end('reached'), { address: '::1', port: open.port });
    const { asked, resolve } = answers(['127.0.0.1'], ['::1']);
    const host = `turns.example:${open.port}`;
    const { output } = await fetched(`http://${host}/`, [host], resolve);
    expect(output).toMatch(/the first$/);
    expect([asked, open.connections, other?.connections ?? 0]).toEqual([['turns.example'], 1, 0]);
  });

  test('is checked again for each redirect', async () => {
    const closed = await closedServers((_, response) => response.writeHead(302, { location: '/more' }).end());
    const host = `turns.example:${closed[0]!.port}`;
    const { asked, resolve } = answers(['127.0.0.1'], ['127.0.0.1'], ['127.0.0.1']);
    // Permitted for one request, and then no more.
    const privateHosts = { includes: (one: string) => one === host && asked.length < 2 } as unknown as string[];
    const { output } = await fetched(`http://${host}/`, privateHosts, resolve);
    expect(output).toMatch(/^turns\.example:\d+ is not public: its address is 127\.0\.0\.1/);
    expect(closed[0]!.connections).toBe(1);
  });
});
