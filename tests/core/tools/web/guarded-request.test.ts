/** A request ends in time, takes no more than it may, tells nothing of the person, and says what went wrong. */
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { guardedGet, LIMITS, MAX_REDIRECTS, type Reach } from '#core/tools/web/guarded-request.ts';
import { requestFailure } from '#core/tools/web/request-failure.ts';
import { webAddress } from '#core/tools/web/web-address.ts';
import { webServer } from '../../../support/web/web-server.ts';

const SMALL = { ...LIMITS, receivedBytes: 100_000, bodyBytes: 200_000 };

async function got(url: string, reach: Partial<Reach> = {}) {
  const { host } = new URL(url);
  return guardedGet(webAddress(url), {
    signal: new AbortController().signal,
    privateHosts: [host],
    headers: {},
    mayFollow: () => true,
    ...reach,
  });
}

const gotFrom = async (answer: RequestListener, reach: Partial<Reach> = {}) =>
  got((await webServer(answer)).url, { limits: SMALL, ...reach });

/** A server that writes these bytes to whoever sends something. */
async function raw(write: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => write(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const failure = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) as string });

test('sends a user agent with the name of the program and nothing about the person', async () => {
  const { body } = await gotFrom(({ headers }, response) => response.end(JSON.stringify(headers)));
  const headers = JSON.parse(body.toString()) as Record<string, string>;
  expect(Object.keys(headers).sort()).toEqual(['accept-encoding', 'connection', 'host', 'user-agent']);
  expect(headers['user-agent']).toMatch(/^Triad \(/);
});

test('opens a new connection for each request', async () => {
  const server = await webServer((_, response) => response.end());
  for (let one = 0; one < 3; one++) await got(server.url);
  expect(server.connections).toBe(3);
});

describe('compressed bodies', () => {
  test.for([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    [' GZip ', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('decompresses %s, and rejects a body that is too large or incomplete', async ([encoding, pack]) => {
    const packed = (bytes: Buffer, end?: number): RequestListener => {
      const body = pack(bytes).subarray(0, end);
      return (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body);
    };
    expect((await gotFrom(packed(Buffer.from('grün')))).body.toString()).toBe('grün');
    const bomb = packed(Buffer.alloc(500_000));
    await expect(gotFrom(bomb)).rejects.toMatchObject(
      failure('limit_reached', /larger than 200000 bytes as it is unpacked/),
    );
    await expect(gotFrom(packed(Buffer.from('much text'), 8))).rejects.toMatchObject(
      failure('unreachable', /packed wrongly or not whole/),
    );
  });

  test('returns a body with the encoding identity unchanged', async () => {
    const plain: RequestListener = (_, response) =>
      response.writeHead(200, { 'content-encoding': 'identity' }).end('x');
    expect((await gotFrom(plain)).body.toString()).toBe('x');
  });

  test('rejects a content encoding that was not requested', async () => {
    for (const encoding of ['zstd', 'gzip, gzip', 'constructor']) {
      const answer: RequestListener = (_, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end('x');
      const words = `The answer is packed as ${encoding}, which was not asked for`;
      await expect(gotFrom(answer)).rejects.toMatchObject({ code: 'unreachable', message: words });
    }
  });
});

describe('limits', () => {
  test('rejects a body that is one byte larger than the limit', async () => {
    const most = await gotFrom((_, response) => response.end(Buffer.alloc(SMALL.receivedBytes)));
    expect(most.body).toHaveLength(SMALL.receivedBytes);
    const more: RequestListener = (_, response) => response.end(Buffer.alloc(SMALL.receivedBytes + 1));
    await expect(gotFrom(more)).rejects.toMatchObject(
      failure('limit_reached', /larger than 100000 bytes as it is sent/),
    );
  });

  test('rejects a server that does not send its headers in time', async () => {
    await expect(gotFrom(() => undefined, { limits: { ...LIMITS, headerMs: 400 } })).rejects.toMatchObject(
      failure('limit_reached', /^http:\S+ did not answer within 0\.4 seconds$/),
    );
  });

  test('rejects a server whose body takes longer than the total time', async () => {
    const drip: RequestListener = (_, response) => {
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    };
    const start = performance.now();
    await expect(gotFrom(drip, { limits: { ...LIMITS, totalMs: 500 } })).rejects.toMatchObject(
      failure('limit_reached', /was not read within 0\.5 seconds$/),
    );
    expect(performance.now() - start).toBeLessThan(5000);
  });

  test('rejects an address whose name lookup never ends', async () => {
    const never = { resolve: () => new Promise<never>(() => undefined), limits: { ...LIMITS, headerMs: 50 } };
    await expect(got('http://slow.example/', never)).rejects.toMatchObject(failure('limit_reached', /did not answer/));
  });

  test('rejects headers that are larger than 64 KiB', async () => {
    const bomb = await raw((socket) => {
      const timer = setInterval(() => socket.write(`x-${'a'.repeat(1000)}: b\r\n`.repeat(20)), 1);
      socket.write('HTTP/1.1 200 OK\r\n');
      socket.on('close', () => clearInterval(timer));
    });
    await expect(got(bomb)).rejects.toMatchObject(failure('unreachable', /headers are larger than 65536 bytes/));
  });
});

describe('redirects', () => {
  const moves =
    (status: number, to: string): RequestListener =>
    ({ url }, response) =>
      url === '/' ? response.writeHead(status, { location: to }).end() : response.end(`at ${url}`);

  test.for([301, 302, 303, 307, 308])('follows a redirect with status %d at the requested host', async (status) => {
    const { url, body, movedTo } = await gotFrom(moves(status, '/next?a=1#part'));
    expect([url.pathname + url.search + url.hash, body.toString(), movedTo]).toEqual([
      '/next?a=1',
      'at /next?a=1',
      null,
    ]);
  });

  test('returns the statuses 300 and 304 without following a redirect', async () => {
    for (const status of [300, 304]) expect((await gotFrom(moves(status, '/next'))).status).toBe(status);
  });

  test('stops an endless chain after five redirects', async () => {
    const server = await webServer(({ url }, response) => response.writeHead(302, { location: `${url}a` }).end());
    await expect(got(server.url)).rejects.toMatchObject(failure('limit_reached', /redirects more than 5 times/));
    expect(server.connections).toBe(MAX_REDIRECTS + 1);
  });

  test('does not follow a redirect that is not allowed or that leads to another port', async () => {
    const { movedTo } = await gotFrom(moves(302, '/next'), { mayFollow: ({ pathname }) => pathname !== '/next' });
    expect(movedTo?.pathname).toBe('/next');
    const other = await webServer((_, response) => response.end('other'));
    expect((await gotFrom(moves(302, other.url))).movedTo?.href).toBe(other.url);
    expect(other.connections).toBe(0);
  });

  test.for(['ftp://example.com/', 'javascript:alert(1)', 'http://a:b@example.com/'])(
    'rejects a redirect to %s',
    async (to) => {
      await expect(gotFrom(moves(302, to))).rejects.toMatchObject(failure('bad_input', /is not read/));
    },
  );
});

describe('faults', () => {
  test.for<[string, { code?: string; message?: string } | string, string]>([
    ['reset', { code: 'ECONNRESET' }, 'the connection broke before the answer was whole'],
    ['closed pipe', { code: 'EPIPE' }, 'the connection broke before the answer was whole'],
    ['early end', { code: 'ERR_STREAM_PREMATURE_CLOSE' }, 'the connection broke before the answer was whole'],
    ['timeout', { code: 'ETIMEDOUT' }, 'it could not be connected to in time'],
    ['no way to the host', { code: 'EHOSTUNREACH' }, 'there is no way to it from this network'],
    ['no way to the network', { code: 'ENETUNREACH' }, 'there is no way to it from this network'],
    ['no HTTP', { code: 'HPE_INVALID', message: 'Bad\nline' }, 'what it sends is no HTTP (Bad)'],
    ['expired', { code: 'CERT_HAS_EXPIRED' }, 'its TLS certificate or connection is not trusted (CERT_HAS_EXPIRED)'],
    ['zlib', { code: 'Z_DATA_ERROR' }, 'its body is packed wrongly or not whole'],
    ['brotli', { code: 'ERR_BROTLI_DECODE' }, 'its body is packed wrongly or not whole'],
    ['another code', { code: 'EOTHER', message: 'Odd' }, 'Odd'],
    ['a code alone', { code: 'EOTHER' }, 'EOTHER'],
    ['no words at all', {}, ''],
    ['no error', 'just words', 'just words'],
  ])('reports the reason of a failed request: %s', ([, fault, words]) => {
    const error = typeof fault === 'string' ? fault : Object.assign(new Error(fault.message), { code: fault.code });
    expect(requestFailure(new URL('http://x.example/'), error, LIMITS)).toMatchObject({
      code: 'unreachable',
      message: `http://x.example/ could not be read: ${words}`,
      cause: error,
    });
  });

  test('reports an unknown host name, and a name lookup without network', async () => {
    const reach = (code: string) => ({ resolve: () => Promise.reject(Object.assign(new Error(code), { code })) });
    await expect(got('http://gone.example/', reach('ENOTFOUND'))).rejects.toMatchObject(
      failure('unreachable', /^http:\/\/gone\.example\/ could not be read: there is no host of this name$/),
    );
    await expect(got('http://gone.example/', reach('EAI_AGAIN'))).rejects.toMatchObject(
      failure('unreachable', /may be no network/),
    );
  });

  test('reports a port on which no server listens', async () => {
    await expect(got('http://127.0.0.1:9/')).rejects.toMatchObject(failure('unreachable', /nothing answers there/));
  });

  test('reports a body that is shorter than its Content-Length', async () => {
    const url = await raw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort'));
    await expect(got(url)).rejects.toMatchObject(failure('unreachable', /broke before the answer was whole/));
  });

  test('cuts a body that is longer than its Content-Length', async () => {
    const url = await raw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nshort and more'));
    expect((await got(url)).body.toString()).toBe('short');
  });

  test('reports a server that does not speak HTTP or TLS, or changes the protocol', async () => {
    const noise = await raw((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    await expect(got(noise)).rejects.toMatchObject(failure('unreachable', /is no HTTP/));
    const upgrade = await raw((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    );
    await expect(got(upgrade)).rejects.toMatchObject(failure('unreachable', /changes to another protocol/));
    await expect(got(noise.replace('http:', 'https:'))).rejects.toMatchObject(failure('unreachable', /TLS/));
  });

  test('an abort ends the request at once, before and after the first bytes of the answer', async () => {
    const begun: RequestListener = (_, response) => void response.write('begun');
    for (const answer of [begun, () => undefined]) {
      const stop = new AbortController();
      const work = gotFrom(answer, { signal: stop.signal, limits: LIMITS });
      setTimeout(() => stop.abort(new Error('Stopped')), 50);
      await expect(work).rejects.toThrow('Stopped');
    }
  });
});
