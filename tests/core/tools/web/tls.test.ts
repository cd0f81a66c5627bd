/** A certificate that is not trusted is refused, whatever the environment says, and TLS is not left by a redirect. */
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { guardedGet } from '#core/tools/web/guarded-request.ts';
import { CERTIFICATE, KEY } from '../../../support/certificate.ts';
import { webServer } from '../../../support/web/web-server.ts';

async function secureServer(answer: RequestListener): Promise<string> {
  const server = createServer({ key: KEY, cert: CERTIFICATE }, answer);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `localhost:${(server.address() as AddressInfo).port}`;
}

const got = (host: string, name = host) =>
  guardedGet(new URL(`https://${name}/`), {
    signal: new AbortController().signal,
    privateHosts: [name],
    headers: {},
    mayFollow: () => true,
    resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  });

function trusted(): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, CERTIFICATE]);
  onTestFinished(() => setDefaultCACertificates(before));
}

test('rejects a certificate that is not trusted, whatever the environment variable says', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const host = await secureServer((_, response) => response.end('reached'));
  await expect(got(host)).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/TLS certificate or connection is not trusted/) as string,
  });
});

test('accepts a trusted certificate only for its own host name', async () => {
  trusted();
  const host = await secureServer((_, response) => response.end('reached'));
  expect((await got(host)).body.toString()).toBe('reached');
  await expect(got(host, host.replace('localhost', 'other.example'))).rejects.toMatchObject({
    message: expect.stringMatching(/is not trusted \(.*altnames/) as string,
  });
});

test('rejects a redirect from https to http', async () => {
  trusted();
  const plain = await webServer((_, response) => response.end('reached'));
  const host = await secureServer((_, response) => response.writeHead(302, { location: plain.url }).end());
  await expect(got(host)).rejects.toMatchObject({
    code: 'not_allowed',
    message: expect.stringMatching(/redirects from https to http:/) as string,
  });
  expect(plain.connections).toBe(0);
});
