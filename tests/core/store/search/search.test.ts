/** Full text: all words, any text, newest first, in segments and before, with the place and the words marked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Input } from '#contract/rpc.ts';
import type { SearchHit } from '#contract/view.ts';
import { Conversation } from '../finished.ts';
import { inFullRun } from '../../../support/samples.ts';
import { ENGINES } from '../engines.ts';
import { openRuntimeOn, type OpenedRuntime } from '../open-runtime.ts';

/** More than a segment holds. */
const COUNT = inFullRun ? 160 : 16;
const TOOLS = inFullRun ? 4 : 15;
const marked = ({ snippet, hits }: SearchHit) => hits.map(({ start, end }) => snippet.slice(start, end));

describe.each(ENGINES)('on %s', (engine) => {
  let opened: OpenedRuntime;
  let store: OpenedRuntime['store'];
  let request: OpenedRuntime['request'];
  beforeAll(async () => {
    opened = await openRuntimeOn(engine);
    ({ store, request } = opened);
  });
  afterAll(() => opened.close());

  async function all(text: string, limit = 7): Promise<SearchHit[]> {
    const hits: SearchHit[] = [];
    let before: string | undefined;
    do {
      const page = await request('history.search', { text, before, limit });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      hits.push(...page.items);
      before = page.next ?? undefined;
    } while (before !== undefined);
    return hits;
  }

  test('finds prompts, answers, tasks, reports and results with their kind and agent', async () => {
    const conversation = await new Conversation(store).create();
    const workflowId = await conversation.add({
      prompt: 'Compare the zephyr parsers',
      lead: { text: 'The zephyr is ready', tools: ['grep'], output: 'a zephyr file' },
      children: [{ agent: 'zephyr', text: 'Report: zephyr' }],
    });
    const hits = await all('ZEPHYR');
    expect(hits.map(({ kind, agent }) => `${kind} ${agent}`).sort()).toEqual(
      ['answer lead', 'prompt lead', 'report zephyr', 'task zephyr', 'tool lead'].sort(),
    );
    const reports = await request('history.search', { text: 'zephyr', limit: 7, kind: 'report' });
    expect(reports).toEqual({ items: hits.filter(({ kind }) => kind === 'report'), next: null });
    const kinds = async (filters: Pick<Input<'history.search'>, 'workflows' | 'executions'>) =>
      (await request('history.search', { text: 'zephyr', limit: 7, ...filters })).items.map(({ kind }) => kind);
    const every = hits.map(({ kind }) => kind);
    expect(await kinds({ workflows: { tool: 'grep', from: '2000-01-01T00:00:00.000Z' } })).toEqual(every);
    for (const none of [{ agent: 'another' }, { to: '2000-01-01T00:00:00.000Z' }, { outcome: 'error' as const }])
      expect(await kinds({ workflows: none })).toEqual([]);
    expect((await kinds({ executions: {} })).sort()).toEqual(['report', 'task']);
    expect(await kinds({ executions: { agent: 'another' } })).toEqual([]);
    const lead = (await request('workflow.get', { workflowId })).workflow.runId;
    const prompt = hits.find(({ kind }) => kind === 'prompt');
    expect(prompt).toMatchObject({
      conversationId: conversation.row.id,
      workflowId,
      runId: lead,
      n: 0,
      title: 'Compare the zephyr parsers',
      snippet: 'Compare the zephyr parsers',
    });
    for (const hit of hits) {
      expect(marked(hit).map((word) => word.toLowerCase())).toEqual(['zephyr']);
      expect((await request('run.entries', { runId: hit.runId }))[hit.n]).toMatchObject({ n: hit.n, at: hit.at });
    }
  });

  test('finds an answer around a web search as one hit', async () => {
    const conversation = await new Conversation(store).create();
    const said = ['I look for the numbat', 'The numbat is found'];
    const [before, after] = said.map((text) => ({ type: 'text' as const, text }));
    const block = { type: 'server_tool_use', id: 'w1', name: 'web_search', input: {} };
    const parts = [before!, { type: 'server' as const, block }, after!];
    await conversation.add({ lead: { parts, text: said.join('\n\n') } });
    expect((await all('numbat')).map(({ kind }) => kind)).toEqual(['answer']);
  });

  test('matches all words without case and accents, and the last word as a prefix', async () => {
    const conversation = await new Conversation(store).create();
    const prompts = ['Café Müller opens', 'cafe closed', 'CAFÉ MULLERIN', 'Straße 日本語 🦜 naïve_coöperation'];
    await conversation.addAll(prompts.map((prompt) => ({ prompt, lead: { text: '…' } })));
    const found = async (text: string) => (await all(text)).map(({ snippet }) => prompts.indexOf(snippet)).reverse();
    expect(await found('cafe')).toEqual([0, 1, 2]);
    expect(await found('müller CAFÉ')).toEqual([0]);
    expect(await found('CAFÉ müller')).toEqual([0, 2]);
    expect(await found('cafe muller ')).toEqual([0]);
    expect(await found('"muller" AND')).toEqual([]);
    expect(await found('open')).toEqual([0]);
    expect(await found('strasse 本')).toEqual([3]);
    expect(await found('🦜')).toEqual([3]);
    expect(await found('cooperation naive')).toEqual([3]);
    const [hit] = await all('mull cafe');
    expect(hit && marked(hit)).toBeUndefined();
    expect(marked((await all('cafe mull'))[1] as SearchHit)).toEqual(['Café', 'Müller']);
  });

  test('accepts any search text without errors or injection', async () => {
    const conversation = await new Conversation(store).create();
    await conversation.add({
      prompt: `x\0y ${'\ud83e'} "quoted' \\ $value; DELETE event; \u2028 end`,
      lead: { text: '``' },
    });
    for (const text of ["'", '"; DELETE event; --', '\0', '$x', '@@', '*', '\ud83e', '🙂🙂', '%_', '()', '…', 'a\nb']) {
      await request('history.search', { text, limit: text.length === 1 ? 1 : 50 });
    }
    expect(await all('?!… ')).toEqual([]);
    expect(await all('wörter '.repeat(140))).toEqual([]);
    expect(await all('x'.repeat(1000))).toEqual([]);
    const [hit] = await all('quoted delete');
    expect(hit?.snippet).not.toMatch(/[\0\n\u2028]/);
    expect(hit && marked(hit)).toEqual(['quoted', 'DELETE']);
  });

  test('searches long texts up to a limit, and shows the part around the first hit', async () => {
    const conversation = await new Conversation(store).create();
    const long = `${'filler '.repeat(2000)}needle ${'filler '.repeat(2000)}`;
    await conversation.add({ lead: { tools: ['grep'], output: `${long}haystack`, text: 'x' } });
    const [hit] = await all('needle');
    expect(hit?.snippet).toMatch(/^…(filler )+needle (filler ?)+.*…$/);
    expect(hit?.snippet.length).toBeLessThan(300);
    expect(hit && marked(hit)).toEqual(['needle']);
    expect(await all('haystack')).toEqual([]);
    const apart = `needle ${'filler '.repeat(100)}thread and needle ${'filler '.repeat(100)}`;
    await conversation.add({ lead: { text: apart } });
    const [both] = await all('needle thread');
    expect(both?.snippet, 'all words are in sight').toMatch(/^….*filler thread and needle filler.*…$/);
  });

  test('finds a report once in its run, and the reason for a missing report in the tool call', async () => {
    const conversation = await new Conversation(store).create();
    const handed = (report: string, error: string | null) => ({ child_id: 'x', report, error });
    const one = handed('# The axolotl\n\nis **well**', null);
    await conversation.add({
      lead: {
        tools: ['spawn_agent', 'delegate_task'],
        output: JSON.stringify({ success: true, ...one }),
        text: 'x',
      },
      children: [{ agent: 'keeper', text: one.report }],
    });
    const hits = await all('axolotl');
    expect(hits.map(({ kind, agent }) => `${kind} ${agent}`)).toEqual(['report keeper']);
    expect(hits[0]?.snippet).toBe('The axolotl  is well');
    expect(hits[0] && marked(hits[0])).toEqual(['axolotl']);
    const results = [one, handed('', 'The person said no: not that tarantula')];
    const output = JSON.stringify({ success: false, results, aggregated_report: one.report });
    await conversation.add({ lead: { tools: ['parallel_tasks'], output, text: 'x' } });
    expect(await all('axolotl')).toHaveLength(1);
    const [refused] = await all('tarantula');
    expect(refused).toMatchObject({ kind: 'tool', snippet: 'The person said no: not that tarantula' });
  });

  test('returns hundreds of indexed entries in pages, newest first, each once', async () => {
    const conversation = await new Conversation(store).create();
    const plans = Array.from({ length: COUNT }, (_, n) => ({
      prompt: `Number ${n} of the series`,
      lead: {
        text: n % (COUNT / 4) === 0 ? 'rare bird' : 'plain',
        tools: Array.from({ length: TOOLS }, (_, at) => `t${at}`),
      },
    }));
    for (let n = 0; n < COUNT; n += COUNT / 4) await conversation.addAll(plans.slice(n, n + COUNT / 4));
    const [segments] = await opened.database.query('SELECT VALUE id FROM search_segment');
    expect(await all('series number', COUNT)).toHaveLength(COUNT);
    const [after] = (await opened.database.query('SELECT VALUE id FROM search_segment')) as [unknown[]];
    expect(after.length).toBeGreaterThan((segments as unknown[]).length);
    const hits = await all('series number', COUNT / 4);
    expect(hits.map(({ snippet }) => Number(/\d+/.exec(snippet)?.[0]))).toEqual(
      Array.from({ length: COUNT }, (_, n) => COUNT - 1 - n),
    );
    expect(await all('rare bird')).toHaveLength(4);
    expect((await all('number 7 ')).length).toBe(1);
    // What is still going on is found as well.
    const running = await conversation.add({ prompt: 'Number 999 of the series', outcome: null });
    expect((await request('history.search', { text: 'series', limit: 1 })).items[0]?.workflowId).toBe(running);
  });

  test('finds the additions of a resumed workflow once, besides the earlier hits', async () => {
    const conversation = await new Conversation(store).create();
    const id = await conversation.add({ prompt: 'quokka one', lead: { text: 'x' }, outcome: 'interrupted' });
    expect(await all('quokka')).toHaveLength(1);
    const lead = (await request('workflow.get', { workflowId: id })).workflow.runId;
    const who = {
      conversationId: conversation.row.id,
      workflowId: id,
      runId: lead,
      parentRunId: null,
      agent: 'lead',
    };
    conversation.recording.record(who, { type: 'workflow-start', prompt: 'x', approve: 'ask', attempt: 2 });
    conversation.recording.words(who, { source: 'person', text: 'quokka two' });
    await conversation.store();
    expect((await all('quokka')).map(({ n }) => n)).toEqual([2, 0]);
  });
});
