/** A search that the person has configured: asked about like all that reaches out, in the forms in which searches answer. */
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Answer } from '#contract/approval.ts';
import { fileSecrets } from '#core/settings/secrets.ts';
import type { ToolResult } from '#core/tools/tool.ts';
import { fetchText } from '#core/tools/web/fetch-text.ts';
import { SearchEndpoint } from '#core/tools/web/search-endpoint.ts';
import { webSearch as webSearchTool } from '#core/tools/web/web-search.ts';
import { type Harness, type HarnessOptions, startEngine } from '../../../support/engine.ts';
import { spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { type SearchAnswer, searchServer } from '../../../support/web/search-server.ts';
import { settingsOf } from '../../../support/settings/settings-of.ts';
import { webServer } from '../../../support/web/web-server.ts';
import { call, contextIn, contextWith, folderWith } from '../../../support/workspace.ts';

const searching = (query = 'sums & more') =>
  new Script()
    .on({ step: 1 })
    .reply([toolUse('web_search', { query })])
    .on({})
    .reply([text('Done.')]);

async function engineWith(settings: string, more: HarnessOptions = {}): Promise<Harness> {
  const configFolder = await folderWith({ 'config.toml': settings });
  return startEngine(searching(), { settings, configFolder, ...more });
}

/** What the tool makes of one search, without the engine. */
async function searched(settings: string): Promise<ToolResult> {
  const searchEndpoint = new SearchEndpoint({ settings: settingsOf(settings), secrets: fileSecrets('/nowhere') });
  return call(webSearchTool, { query: 'sums' }, contextWith(contextIn('/'), { web: { searchEndpoint } }));
}

const resultOf = (engine: Harness) => engine.of('tool-end').at(-1)?.entry;

describe('a configured search service', () => {
  test('requires approval that names the host of the query, and returns the results', async () => {
    const content = 'Adds <strong>numbers</strong>.\n';
    const results = [
      { title: 'Sums', url: 'https://example.org/sums', content, engine: 'x' },
      { title: 'No address of the web', url: 'javascript:alert(1)' },
      { url: 'https://example.org/bare', title: null },
    ];
    const { host, asked, settings } = await searchServer({ body: { query: 'q', results } });
    const engine = await engineWith(settings);
    expect((await engine.ask('Go')).outcome).toBe('completed');
    expect(engine.model.requests[0]?.body.tools?.find(({ name }) => name === 'web_search')).toHaveProperty(
      'input_schema',
    );
    const [question] = engine.of('approval-request');
    expect(question?.approval).toMatchObject({
      title: 'Search the web for “sums & more”',
      description: `The query is sent to ${host}`,
      risk: 'medium',
      reversible: true,
      grant: { tool: 'web_search', pattern: 'sums & more' },
    });
    expect(asked.map(({ url }) => url)).toEqual(['/search?format=json&q=sums%20%26%20more']);
    expect(resultOf(engine)).toMatchObject({
      status: 'completed',
      output:
        '1. Sums\n   https://example.org/sums\n   Adds numbers.\n2. https://example.org/bare\n   https://example.org/bare',
      metadata: { query: 'sums & more', results: 2, host },
    });
  });

  test('gets no query if the person or a rule rejects the search', async () => {
    const { asked, settings } = await searchServer({ body: { results: [] } });
    const configFolder = await folderWith({ 'config.toml': settings });
    const person = () => ({ kind: 'reject', reason: 'Not now' }) as const;
    const engine = await startEngine(searching(), { settings, configFolder, person });
    await engine.ask('Go');
    expect(resultOf(engine)?.output).toContain('Not now');
    const deny = '[[permissions.rules]]\neffect = "deny"\ntool = "web_search"\npattern = "*SUMS*"\n';
    await writeFile(`${configFolder}/config.toml`, settings + deny);
    await engine.ask('Go');
    expect(resultOf(engine)).toMatchObject({ status: 'error' });
    expect(engine.of('approval-decide')).toMatchObject([
      { decision: { allowed: false, decidedBy: 'person' } },
      { decision: { allowed: false, decidedBy: 'rule' } },
    ]);
    expect(asked).toEqual([]);
  });

  test('replaces the search of the provider, and a grant for queries allows later searches', async () => {
    const { asked, settings } = await searchServer({ body: { results: [] } });
    const grant = { scope: 'conversation', pattern: '*' } as const;
    const answers: Answer[] = [{ kind: 'allow', grant }];
    const person = () => answers.shift() ?? null;
    const engine = await engineWith(`${settings}[providers.anthropic]\nweb_search = "always"\n`, { person });
    for (let times = 1; times <= 2; times += 1) {
      await engine.ask('Go');
      expect(asked).toHaveLength(times);
      expect(resultOf(engine)?.output).toBe('[Nothing was found.]');
    }
    const decided = engine.of('approval-decide').map(({ decision }) => decision.decidedBy);
    expect(decided).toEqual(['person', 'rule']);
  });

  const forms: [string, unknown, string, number][] = [
    ['Brave', { type: 'search', web: { results: [{ title: 'T', url: 'https://e.org', description: 'd' }] } }, 'd', 1],
    ['Brave without a result', { type: 'search', query: { original: 'q' } }, '[Nothing was found.]', 0],
    ['a plain list', { results: [{ title: 'T', url: 'https://e.org', snippet: 'words' }] }, 'words', 1],
    ['a longer one', { results: [1, 2, 3].map((n) => ({ title: `${n}`, url: 'https://e.org' })) }, '2. 2\n', 2],
  ];
  test('accepts several forms of answers and returns at most the configured number of results', async () => {
    const { settings, answer } = await searchServer({ body: {} });
    for (const [form, body, words, results] of forms) {
      answer.body = body;
      const output = expect.stringContaining(words) as unknown;
      const found = await searched(`${settings}results = 2\n`);
      expect(found, form).toMatchObject({ status: 'completed', output, metadata: { results } });
    }
  });

  const faults: [string, SearchAnswer, RegExp][] = [
    ['a page', { body: '<html>' }, /did not answer as a search does.*"web\.results"/],
    ['another JSON', { body: { items: [] } }, /did not answer as a search does/],
    ['a refusal', { status: 403, body: {} }, /status 403: check web\.search\.key_header/],
    ['no key', { status: 401, body: {} }, /status 401: check web\.search\.key_header/],
    ['too many requests', { status: 429, body: {} }, /status 429: it was asked too often, wait before the next/],
    ['a fault', { status: 500, body: {} }, /status 500: check web\.search\.url$/],
    [
      'the way to another address',
      { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
      /status 302/,
    ],
    ['far too much', { body: 'x'.repeat(1_100_000) }, /more than 1000000 bytes/],
  ];
  test('returns an error that names the host if the answer is not one of a search service', async () => {
    const { host, asked, settings, answer } = await searchServer({ body: {} });
    for (const [index, [what, { status = 200, headers = {}, body }, words]] of faults.entries()) {
      Object.assign(answer, { status, headers, body });
      const result = await searched(settings);
      const output = expect.stringMatching(words) as unknown;
      expect(result, what).toMatchObject({ status: 'error', output });
      expect(result.output, what).toContain(host);
      expect(asked, what).toHaveLength(index + 1);
    }
  });
});

test('an unreachable or slow search service gives an error that names its host', async () => {
  const absent = await searched('web.search.url = "http://127.0.0.1:9/?q={query}"\n');
  expect(absent).toMatchObject({ status: 'error', output: '127.0.0.1:9 cannot be reached: check web.search.url' });
  const { url, host } = await webServer(() => undefined);
  const options = { headers: {}, maxBytes: 1, timeoutMs: 50, signal: new AbortController().signal };
  await expect(fetchText(url, options)).rejects.toMatchObject({
    code: 'provider',
    message: `${host} did not answer within 0.05 s: check web.search.url`,
  });
  const stopped = AbortSignal.abort(new Error('Stopped'));
  await expect(fetchText(url, { ...options, timeoutMs: 1000, signal: stopped })).rejects.toThrow('Stopped');
});

test('rejects a key with spaces or characters outside ASCII', async () => {
  const endpoint = new SearchEndpoint({
    settings: settingsOf('web.search.url = "http://x.example/?q={query}"\n'),
    secrets: fileSecrets(await folderWith()),
  });
  for (const key of ['a b', 'schlüssel', 'a\x7f']) await expect(endpoint.setKey(key)).rejects.toThrow('copy it again');
  await endpoint.setKey(' !key~ ');
  expect(await endpoint.state()).toMatchObject({ host: 'x.example', keyOf: 'x.example' });
});

describe('the key of the search service', () => {
  test('is sent in the configured header only to its own host, and is not in the settings file', async () => {
    const first = await searchServer({ body: { results: [] } });
    const second = await searchServer({ body: { results: [] } });
    const settings = `${first.settings}key_header = "X-Key"\n`;
    const configFolder = await folderWith({ 'config.toml': settings });
    const secrets = fileSecrets(await folderWith({}));
    const engine = await startEngine(searching(), { settings, configFolder, secrets });
    await engine.ask('Go');
    expect(resultOf(engine)?.output).toMatch(/wants a key in X-Key, and no key is kept/);
    const kept = await engine.runtime.request('search.set-key', { apiKey: ' s3cret ' });
    expect(kept).toMatchObject({ host: first.host, keyOf: first.host });
    await engine.ask('Go');
    expect(first.asked.map(({ headers }) => headers['x-key'])).toEqual(['s3cret']);
    await engine.runtime.request('settings.set', { path: 'web.search.url', value: second.url });
    await engine.ask('Go');
    expect(resultOf(engine)?.output).toContain(`the kept key belongs to ${first.host}`);
    expect(second.asked).toEqual([]);
    expect(await readFile(`${configFolder}/config.toml`, 'utf8')).not.toContain('s3cret');
    expect(await engine.runtime.request('search.set-key', { apiKey: '' })).toMatchObject({ keyOf: null });
    expect(await secrets.get('web_search')).toBeNull();
    // No header could carry it.
    await expect(engine.runtime.request('search.set-key', { apiKey: 'a b' })).rejects.toThrow(/spaces/);
  });
});

describe('without any configured search', () => {
  test('web_search is not offered, and a spawn that names the tool is rejected with the missing setting', async () => {
    const script = new Script()
      .on({ step: 1 })
      .reply([spawn({ name: 'seeker', prompt: 'Look.', tools: ['web_search'] })])
      .on({})
      .reply([text('Done.')]);
    const engine = await startEngine(script);
    await engine.ask('Go');
    expect(engine.model.requests[0]?.seen.tools).not.toContain('web_search');
    expect(engine.of('run-queue')[0]?.envelope.tools).not.toContain('web_search');
    expect(resultOf(engine)?.output).toMatch(/web_search: nothing can search the web: set web\.search\.url/);
    const { tools } = await engine.runtime.request('app.state', {});
    expect(tools.map(({ name }) => name)).not.toContain('web_search');
  });

  test('web_search works from the next message on after the address is set', async () => {
    const { url } = await searchServer({ body: { results: [] } });
    const engine = await startEngine(searching(), { configFolder: await folderWith({}) });
    await engine.ask('Go');
    expect(resultOf(engine)?.output).toContain('There is no tool "web_search"');
    await engine.runtime.request('settings.set', { path: 'web.search.url', value: url });
    await engine.ask('Go');
    expect(resultOf(engine)?.output).toBe('[Nothing was found.]');
  });
});

describe('the address of the search service', () => {
  const refused = [
    ['https://example.org/search', /\{query\} where the query goes/],
    ['https://{query}.example.org/', /behind the host/],
    ['https://me:key@example.org/?q={query}', /key store/],
    ['file:///etc/{query}', /http or https/],
  ] as const;
  test('must contain the query and no secret, and a key cannot be saved without an address', async () => {
    const engine = await startEngine(searching(), { configFolder: await folderWith({}) });
    await expect(engine.runtime.request('search.set-key', { apiKey: 'a' })).rejects.toThrow(/web\.search\.url/);
    for (const [value, words] of refused)
      await expect(engine.runtime.request('settings.set', { path: 'web.search.url', value })).rejects.toThrow(words);
  });
});
