/** Hosts are counted where Node begins a request, whoever asks and by which way; for what is said around it. */
import { createServer } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { requestOf } from '#core/base/http.ts';
import { askedFor, contacted, contactedHosts, fetchFor } from '#core/base/outgoing.ts';

const server = createServer((_request, response) => response.end('here'));
let host = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const counts = () =>
  Object.fromEntries(
    contactedHosts()
      .contacted.filter((one) => one.host === host)
      .map(({ by, count }) => [by, count]),
  );

test('counts contacts by fetch, http and socket under the responsible part of the program', async () => {
  // The process counts for all test files, and an earlier server may have had this port.
  const before = counts();
  for (const _ of [1, 2]) await (await fetchFor('model')(`http://${host}/a`)).text();
  await (await fetch(`http://${host}/`)).text();
  await new Promise<void>((resolve) =>
    askedFor('fetch', () =>
      requestOf('http:')(`http://${host}/b`, { agent: false }, (message) => message.resume().on('end', resolve)).end(),
    ),
  );
  await new Promise((resolve) => {
    const socket = askedFor('store', () => new WebSocket(`ws://${host}/`));
    socket.addEventListener('error', resolve);
  });
  const added = Object.entries(counts()).map(([by, count]) => [by, count - (before[by] ?? 0)]);
  expect(Object.fromEntries(added)).toEqual({ model: 2, other: 1, fetch: 1, store: 1 });
});

test('lists the latest host first, and stores at most 200 hosts', () => {
  contacted('first.example', 'updates');
  for (let n = 0; n < 500; n += 1) contacted(`${n}.example`, 'fetch');
  const { contacted: found, left } = contactedHosts();
  expect(found[0]).toMatchObject({ host: '499.example', by: 'fetch', count: 1 });
  expect(found).toHaveLength(200);
  expect(left).toBeGreaterThanOrEqual(301);
});

test('probes idle connections after 15 s', async () => {
  const server = createServer((_request, response) => response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const probe = vi.spyOn(Socket.prototype, 'setKeepAlive');
  await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).text();
  expect(probe.mock.lastCall).toEqual([true, 15_000]);
});
