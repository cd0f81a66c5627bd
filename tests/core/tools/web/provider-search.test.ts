/** Searches that the provider makes itself: offered only where nobody has to be asked, recorded, sent back as they came, paid once. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { blocksOf } from '#lib/view/transcript.ts';
import { liveUntil } from '../../../support/crash.ts';
import { type Harness, startEngine } from '../../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { type Block, providerSearch, Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { startFakeModel } from '../../../support/fake-model/server.ts';
import { variations } from '../../../support/samples.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';
import { folderWith } from '../../../support/workspace.ts';

const OWN = 'providers.anthropic.web_search = "always"\n';
const ALLOW = '[[permissions.rules]]\neffect = "allow"\ntool = "web_search"\n';
const PAGES = [{ title: 'A page', url: 'https://example.org/a' }];
const ANSWER: Block = {
  type: 'cited',
  text: 'It is so.',
  citation: { type: 'web_search_result_location', url: PAGES[0]!.url, encrypted_index: 'aW5kZXg=', cited_text: 'so' },
};
/** Of one search, in billionths of a dollar. */
const SEARCH_NANO = 10_000_000;
/** Of the default model at the usage of the scripts. */
const TOKENS_NANO = 100 * 2000 + 20 * 10_000;

const shared = sharedEngine(OWN);

/** `more`: settings of its own, with which it needs a program of its own. */
async function engineWith(script: Script, more = ''): Promise<Harness> {
  if (more === '') return shared.start(script, { rules: ALLOW });
  const settings = OWN + more;
  const configFolder = await folderWith({ 'config.toml': settings });
  return startEngine(script, { settings, configFolder });
}

const toolOf = ({ model }: Harness, index = 0) =>
  model.requests[index]?.body.tools?.find(({ name }) => name === 'web_search');
const detailOf = async ({ runtime, ...engine }: Harness) =>
  runtime.request('workflow.get', { workflowId: engine.of('workflow-end').at(-1)!.workflowId });
const assistants = (engine: Harness) =>
  engine.of('message-end').flatMap(({ entry }) => (entry.kind === 'assistant' ? [entry] : []));

describe('the web search that the provider runs', () => {
  test('is stored, shown as a call, counted with its price, and sent back to the provider unchanged', async () => {
    const script = new Script()
      .on({ turn: 1 })
      .reply([text('I look.'), ...providerSearch('sums', PAGES, 'srvtoolu_1'), text('As it seems: '), ANSWER], {
        usage: { searches: 1 },
      })
      .on({})
      .reply([text('As I said.')]);
    const engine = await engineWith(script);
    expect((await engine.ask('Look it up')).text).toBe('I look.\n\nAs it seems: It is so.');
    expect(toolOf(engine)).toEqual({
      type: 'web_search_20260318',
      name: 'web_search',
      max_uses: 5,
      allowed_callers: ['direct'],
    });
    expect(engine.of('approval-request')).toEqual([]);
    const { runs, workflow, requests } = await detailOf(engine);
    expect(requests).toMatchObject([{ webSearches: 1, nanoUsd: TOKENS_NANO + SEARCH_NANO }]);
    expect(workflow.usage).toMatchObject({ webSearches: 1, inputTokens: 100, nanoUsd: TOKENS_NANO + SEARCH_NANO });
    expect(engine.of('workflow-end')[0]?.usage.webSearches).toBe(1);
    const entries = await engine.store.entriesOf(runs[0]!.id);
    const view = blocksOf({ run: runs[0]!, entries, calls: [], open: null, children: [], approvals: [] });
    expect(view).toMatchObject([
      { kind: 'user' },
      { kind: 'text', text: 'I look.' },
      {
        kind: 'call',
        call: {
          name: 'web_search',
          input: { query: 'sums' },
          state: 'completed',
          result: { output: 'A page — https://example.org/a' },
        },
      },
      { kind: 'text', text: 'As it seems: It is so.' },
    ]);

    await engine.ask('Say it again');
    const said = engine.model.requests[1]?.body.messages[1]?.content;
    expect(said).toEqual([
      { type: 'text', text: 'I look.' },
      {
        type: 'server_tool_use',
        id: 'srvtoolu_1',
        name: 'web_search',
        input: { query: 'sums' },
        caller: { type: 'direct' },
      },
      { ...providerSearch('sums', PAGES, 'srvtoolu_1')[1], caller: { type: 'direct' } },
      { type: 'text', text: 'As it seems: ' },
      { type: 'text', text: 'It is so.', citations: [(ANSWER as { citation: object }).citation] },
    ]);
    engine.model.expectDone();
  });

  test('is offered with the maximum number of searches from the settings', async () => {
    const engine = await engineWith(new Script().on({}).reply([text('Done.')]), `[web.search]\nmax_uses = 2\n${ALLOW}`);
    await engine.ask('Go');
    expect(toolOf(engine)?.max_uses).toBe(2);
  });

  const rules: readonly (readonly [where: string, rules: string, approve: 'ask' | 'all', isOffered: boolean])[] = [
    ['a rule allows it', ALLOW, 'ask', true],
    ['no rule allows it', '', 'ask', false],
    ['a rule allows some queries', `${ALLOW}pattern = "weather*"\n`, 'ask', false],
    ['a rule denies some queries', `${ALLOW}${ALLOW.replace('allow', 'deny')}pattern = "*secret*"\n`, 'ask', false],
    [
      'a rule asks about what needs the network',
      `${ALLOW}[[permissions.rules]]\neffect = "ask"\npermission = "NetworkAccess"\n`,
      'ask',
      false,
    ],
    ['the person says yes to all', '', 'all', true],
    ['the person says yes to all, and a rule denies it', ALLOW.replace('allow', 'deny'), 'all', false],
  ];
  test('is offered if an allow rule or the person approves every query, unless another rule denies or asks', async () => {
    const { configFolder } = shared;
    const engine = await shared.start(new Script().on({}).reply([text('Done.')]), { rules: '' });
    for (const [index, [where, more, approve, isOffered]] of rules.entries()) {
      await writeFile(join(configFolder, 'config.toml'), OWN + more);
      await engine.ask('Go', approve);
      expect(toolOf(engine, index) !== undefined, where).toBe(isOffered);
    }
  });

  test.for([
    ['selective, which asks about what reaches out', 'permissions.mode = "selective"\n', false],
    ['auto', 'permissions.mode = "auto"\n', true],
  ] as const)('offers the search according to the mode: %s: %s, %s', async ([, mode, isOffered]) => {
    const engine = await engineWith(new Script().on({}).reply([text('Done.')]), mode);
    await engine.ask('Go');
    expect(toolOf(engine) !== undefined).toBe(isOffered);
  });

  test('is not offered after a deny rule is added, and earlier results are then sent as text', async () => {
    const { configFolder } = shared;
    const script = new Script()
      .on({ turn: 1 })
      .reply([...providerSearch('sums', PAGES, 'srvtoolu_1'), ANSWER])
      .on({})
      .reply([text('Done.')]);
    const engine = await engineWith(script);
    await engine.ask('Go');
    await writeFile(join(configFolder, 'config.toml'), OWN + ALLOW.replace('allow', 'deny'));
    await engine.ask('Go on');
    expect([toolOf(engine, 0), toolOf(engine, 1)]).toEqual([expect.anything(), undefined]);
    const said = JSON.stringify(engine.model.requests[1]?.body.messages);
    expect(said).toContain('A page — https://example.org/a');
    expect(said).not.toMatch(/encrypted|server_tool_use/);
  });

  test('is not offered in the next request of a run after its allow rule is removed', async () => {
    const forbid = (): Block[] => {
      writeFileSync(join(shared.configFolder, 'config.toml'), OWN);
      return [toolUse('list_directory', {})];
    };
    const script = new Script()
      .on({ turn: 1 })
      .reply(forbid)
      .on({})
      .reply([text('Done.')]);
    const engine = await engineWith(script);
    await engine.ask('Go');
    expect([toolOf(engine, 0), toolOf(engine, 1)]).toEqual([expect.anything(), undefined]);
  });

  test('keeps its result if the response breaks off after a tool call has started', async () => {
    const acted = Promise.withResolvers<void>();
    const [call, result] = providerSearch('sums', PAGES, 'srvtoolu_1');
    const script = new Script()
      .on({ turn: 1 })
      .reply([toolUse('list_directory', {}), call!, result!, toolUse('glob', { pattern: '*' })], {
        hold: { after: 5, until: () => acted.promise },
        cutAfter: 13,
      })
      .on({})
      .reply([text('Done.')]);
    const engine = await engineWith(script);
    const { workflowId } = await engine.send('Go');
    await engine.event('tool-start');
    acted.resolve();
    expect((await engine.ended(workflowId)).outcome).toBe('completed');
    const [cut] = assistants(engine);
    expect(cut?.parts.map(({ type }) => type)).toEqual(['tool_use', 'server', 'server']);
    expect(cut?.cut).toEqual({ calls: ['glob'] });
    expect(JSON.stringify(engine.model.requests[1]?.body.messages)).toContain('encrypted_content');
    expect((await detailOf(engine)).workflow.usage.webSearches).toBe(1);
  });

  test('is offered to a sub-agent with network access and to no other sub-agent', async () => {
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([
        spawn({ name: 'with', prompt: 'Look.', tools: ['web_search'] }),
        spawn({ name: 'without', prompt: 'Think.', tools: ['grep'] }),
      ])
      .on(CHILD)
      .reply([text('Done.')])
      .on({})
      .reply([text('Done.')]);
    const engine = await engineWith(script);
    await engine.ask('Go');
    const envelopes = engine.of('run-start').map(({ envelope }) => [envelope.agent, envelope.permissions]);
    expect(Object.fromEntries(envelopes)).toMatchObject({
      with: expect.arrayContaining(['NetworkAccess']) as unknown,
      without: expect.not.arrayContaining(['NetworkAccess']) as unknown,
    });
    const offered = engine.model.requests.map(({ seen }) => [seen.prompt, seen.tools.includes('web_search')]);
    expect(Object.fromEntries(offered)).toMatchObject({ 'Look.': true, 'Think.': false });
  });

  test('continues after a pause of the provider and assigns the result to the call before the pause', async () => {
    const [call, result] = providerSearch('sums', PAGES, 'srvtoolu_1');
    const script = new Script()
      .on({ turn: 1 })
      .reply([text('I look.'), call!], { stopReason: 'pause_turn' })
      .on({ turn: 2 })
      .reply([result!, ANSWER], { usage: { searches: 1 } });
    const engine = await engineWith(script);
    expect(await engine.ask('Go')).toMatchObject({ outcome: 'completed', text: 'I look.\n\nIt is so.' });
    const { messages } = engine.model.requests[1]!.body;
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(messages[1]?.content).toMatchObject([{ type: 'text' }, { type: 'server_tool_use', id: 'srvtoolu_1' }]);
    const { runs, workflow } = await detailOf(engine);
    expect(workflow.usage.webSearches).toBe(1);
    const entries = await engine.store.entriesOf(runs[0]!.id);
    const view = blocksOf({ run: runs[0]!, entries, calls: [], open: null, children: [], approvals: [] });
    expect(view.flatMap((block) => (block.kind === 'call' ? [block.call.state] : []))).toEqual(['completed']);
    engine.model.expectDone();
  });

  test('leaves a paused search without a result out of the next request', async () => {
    const [call] = providerSearch('sums', PAGES, 'srvtoolu_1');
    const script = new Script()
      .on({ turn: 1 })
      .reply([text('I look.'), call!], { stopReason: 'pause_turn' })
      .on({ asked: /Again/ })
      .reply([text('Done.')]);
    const engine = await engineWith(script, `limits.run.max_iterations = 1\n${ALLOW}`);
    await engine.ask('Go');
    expect((await engine.ask('Again')).outcome).toBe('completed');
    expect(JSON.stringify(engine.model.requests.at(-1)?.body.messages)).not.toContain('server_tool_use');
  });

  const failures = variations([
    ['max_uses_exceeded', /web\.search\.max_uses/],
    ['too_many_requests', /too many searches/],
    ['of_the_future', /of_the_future/],
  ] as const);
  test('reports the reason of a failed search, charges no price for it and sends its block back', async () => {
    const script = new Script();
    for (const [code] of failures)
      script
        .on({ asked: new RegExp(`^Look: ${code}$`) })
        .reply([...providerSearch('sums', code, `srvtoolu_${code}`), text('I could not look.')]);
    const engine = await engineWith(script.on({}).reply([text('Done.')]));
    for (const [code, words] of failures) {
      await engine.ask(`Look: ${code}`);
      const { runs, workflow } = await detailOf(engine);
      expect(workflow.usage).not.toHaveProperty('webSearches');
      expect(workflow.usage.nanoUsd).toBe(TOKENS_NANO);
      const entries = await engine.store.entriesOf(runs[0]!.id);
      const view = blocksOf({ run: runs[0]!, entries, calls: [], open: null, children: [], approvals: [] });
      expect(view[1]).toMatchObject({
        call: { state: 'error', result: { output: expect.stringMatching(words) as unknown } },
      });
    }
    await engine.ask('Again');
    const said = JSON.stringify(engine.model.requests.at(-1)?.body.messages);
    for (const [code] of failures) expect(said).toContain(`"error_code":"${code}"`);
  });
});

describe('the cost of a provider search', () => {
  test('counts the searches of each attempt, also if the response broke off', async () => {
    const found = providerSearch('sums', PAGES, 'srvtoolu_1');
    // The start, a call of five events, a result of two, then the connection breaks.
    const script = new Script()
      .on({ turn: 1 })
      .reply([...found, text('It is')], { cutAfter: 9, times: 1 })
      .on({})
      .reply([...found, ANSWER], { usage: { searches: 1 } });
    const engine = await engineWith(script);
    expect((await engine.ask('Go')).outcome).toBe('completed');
    const { requests, workflow } = await detailOf(engine);
    expect(requests).toMatchObject([
      { attempt: 1, webSearches: 1, reported: false },
      { attempt: 2, webSearches: 1, reported: true },
    ]);
    expect(workflow.usage.webSearches).toBe(2);
    // Each was stored when its result came, whatever became of the response.
    const told = engine.of('request-start').map(({ request }) => request.webSearches ?? 0);
    expect(told).toEqual([0, 1, 0, 1]);
    const [cut, whole] = assistants(engine);
    expect(cut).toMatchObject({ interrupted: true });
    expect(cut?.parts.filter(({ type }) => type === 'server')).toHaveLength(2);
    expect(whole).toMatchObject({ interrupted: false });
  });

  test('counts each search once if the program is killed after the search and resumes', async () => {
    const data = await mkdtemp(join(tmpdir(), 'triad-searched-'));
    onTestFinished(() => rm(data, { recursive: true, force: true }));
    const folder = await folderWith({ 'config.toml': OWN + ALLOW });
    const found = providerSearch('sums', PAGES, 'srvtoolu_1');
    const script = new Script()
      .on({})
      .reply([...found, text('It is')], { hangAfter: 9, times: 1 })
      .on({})
      .reply([...found, ANSWER], { usage: { searches: 1 } });
    const model = await startFakeModel(script);
    onTestFinished(() => model.close());
    const life = { data, folder, url: model.url, settings: OWN };
    const resume = await liveUntil('request-start#2', life);
    const { workflow, events } = await resume();
    const usage = events.flatMap((event) => (event.type === 'usage' ? [event.request] : []));
    expect(usage).toMatchObject([
      { webSearches: 1, reported: false, error: { code: 'interrupted' } },
      { webSearches: 1, reported: true },
    ]);
    expect(workflow.usage).toMatchObject({ webSearches: 2, requests: 2 });
    const told = events.flatMap((event) => (event.type === 'request-start' ? [event.request.webSearches ?? 0] : []));
    expect(told).toEqual([0, 1, 0, 1]);
  });

  test('is unknown if the price list has no price for searches', async () => {
    const configFolder = await folderWith({
      'config.toml': OWN + ALLOW,
      'prices.toml': 'version = "2026-11-02"\n[models.claude-sonnet-5-5]\ninput = 2.0\noutput = 10.0\n',
    });
    const script = new Script()
      .on({ turn: 1 })
      .reply([...providerSearch('sums', PAGES, 'srvtoolu_1'), ANSWER], { usage: { searches: 1 } })
      .on({})
      .reply([text('Done.')]);
    const engine = await startEngine(script, { settings: OWN, configFolder });
    await engine.ask('Go');
    await engine.ask('Go on');
    const costs = engine.of('usage').map(({ request }) => request.nanoUsd);
    expect(costs).toEqual([null, TOKENS_NANO]);
  });
});
