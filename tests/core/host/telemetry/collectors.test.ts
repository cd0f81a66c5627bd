/** A collector that is not there, refuses, fails or says nothing costs nothing and loses nothing of the work. */
import { readFile } from 'node:fs/promises';
import { glob } from 'tinyglobby';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SpanQueue } from '#core/host/telemetry/span-queue.ts';
import { startEngine } from '../../../support/engine.ts';
import { spawnOne } from '../../../support/fake-model/scenarios.ts';
import { inFullRun } from '../../../support/samples.ts';
import { startCollector } from '../../../support/telemetry/collector.ts';

/** How long the end of the program may take, in milliseconds, on a busy machine. */
const CLOSE_MS = 4000;
const NOWHERE = 'http://127.0.0.1:49151';

async function worked(endpoint: string | null, meanwhile?: (end: { workflowId: string }) => Promise<void>) {
  const lines: string[] = [];
  const engine = await startEngine(spawnOne(), {
    settings: endpoint === null ? '' : `telemetry.endpoint = "${endpoint}"\n`,
    warn: (line) => lines.push(line),
    programs: { PATH: process.env['PATH'] },
  });
  const end = await engine.ask('Go');
  await meanwhile?.(end);
  const state = await engine.runtime.request('telemetry.state', {});
  const fault = endpoint === null ? null : (await engine.runtime.request('telemetry.test', {})).fault;
  const { missing } = await engine.runtime.request('conversation.check', { conversationId: engine.conversationId });
  const began = performance.now();
  await engine.runtime.close();
  expect(performance.now() - began).toBeLessThan(CLOSE_MS);
  expect({ outcome: end.outcome, missing }).toEqual({ outcome: 'completed', missing: [] });
  return { lines, state, fault };
}

test('without an endpoint no span is queued, and OpenTelemetry is imported only on demand', async () => {
  const add = vi.spyOn(SpanQueue.prototype, 'add');
  onTestFinished(() => add.mockRestore());
  const { lines, state } = await worked(null);
  expect(state).toMatchObject({ endpoint: null, source: null, sent: 0 });
  expect(lines).toEqual([]);
  expect(add).not.toHaveBeenCalled();
  // Its libraries are behind one file, which is loaded on the way to the queue alone.
  const root = new URL('../../../../src/', import.meta.url).pathname;
  const sources = await glob('**/*.ts', { cwd: root });
  const texts = await Promise.all(
    sources.map(async (path) => [path, await readFile(`${root}${path}`, 'utf8')] as const),
  );
  const importers = texts.filter(([, text]) => text.includes("from '@opentelemetry/")).map(([path]) => path);
  expect(importers).toEqual(['core/host/telemetry/otlp.ts']);
  const imports = texts.flatMap(([, text]) => text.split('\n').filter((line) => /import.*\/otlp\.ts/.test(line)));
  expect(imports.map((line) => /import type|import\(/.exec(line)?.[0]).sort()).toEqual(
    ['import type', 'import type', 'import('].sort(),
  );
});

test.each([
  ['that is not there', NOWHERE, /^it does not answer \(ECONNREFUSED\)$/],
  // Here the one that comes back has failed before.
  ...(inFullRun ? [['that fails', 500, /^it answers with 500$/] as const] : []),
  ...(inFullRun ? [['that refuses', 400, /^it answers with 400$/] as const] : []),
  // It is waited for.
  ...(inFullRun ? [['that says nothing', 'silence', /^it does not answer/] as const] : []),
] as const)(
  'a collector %s does not disturb the work or delay the exit, and lost spans are reported once',
  async (...with_) => {
    const [, answer, words] = with_;
    const endpoint = typeof answer === 'string' && answer !== 'silence' ? answer : (await startCollector(answer)).url;
    const { lines, state, fault } = await worked(endpoint);
    expect(fault).toMatch(words);
    expect(state).toMatchObject({ endpoint, source: 'settings', sent: 0 });
    expect(lines).toEqual([expect.stringMatching(/^Telemetry: 9 of 9 spans were not taken by the collector \(.+\)$/)]);
  },
);

test('a collector that recovers receives all waiting spans', async () => {
  const collector = await startCollector(503);
  const { lines } = await worked(collector.url, async () => {
    await vi.waitFor(() => expect(collector.requests.length).toBeGreaterThan(0), { timeout: 10_000 });
    collector.answer = 200;
  });
  expect(lines).toEqual([]);
  expect(collector.spans).toHaveLength(9);
  expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(9);
});

test('the environment names the collector and its headers', async () => {
  const collector = await startCollector();
  const engine = await startEngine(spawnOne(), {
    programs: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20planted-in-headers,x-team=blue',
    },
  });
  await engine.ask('Go');
  const state = await engine.runtime.request('telemetry.state', {});
  expect(state).toMatchObject({ source: 'environment', headersOf: 'environment', content: false });
  await engine.runtime.close();
  expect(collector.spans).toHaveLength(9);
  expect(collector.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer planted-in-headers',
    'x-team': 'blue',
  });
});

test('stored headers are sent only to the endpoint for which they were stored', async () => {
  const kept = new Map<string, string>();
  const secrets = {
    place: { backend: 'here', warning: null },
    get: (name: string) => Promise.resolve(kept.get(name) ?? null),
    set: (name: string, value: string | null) => Promise.resolve(void (value && kept.set(name, value))),
  };
  const [first, second] = [await startCollector(), await startCollector()];
  const workedFor = async (endpoint: string, headers?: string) => {
    const engine = await startEngine(spawnOne(), {
      settings: `telemetry.endpoint = "${endpoint}"\n`,
      programs: { PATH: process.env['PATH'] },
      secrets,
    });
    if (headers !== undefined) await engine.runtime.request('telemetry.set-headers', { headers });
    await engine.ask('Go');
    const state = await engine.runtime.request('telemetry.state', {});
    await engine.runtime.close();
    return state.headersOf;
  };
  expect(await workedFor(`${first.url}/`, 'authorization=Bearer%20abc,x-team=blue')).toBe('key store');
  expect(await workedFor(first.url)).toBe('key store');
  expect(await workedFor(second.url)).toBe(null);
  const sent = { authorization: 'Bearer abc', 'x-team': 'blue' };
  for (const { headers } of first.requests) expect(headers).toMatchObject(sent);
  expect(first.spans).toHaveLength(18);
  expect(second.spans).toHaveLength(9);
  for (const { headers } of second.requests)
    for (const name of Object.keys(sent)) expect(headers).not.toHaveProperty(name);
});
