/** What fills a context: every kind counts what it should, and together they are what the gauge says. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ContextPart } from '#contract/context/context-methods.ts';
import type { CompactionEntry, Entry } from '#contract/message.ts';
import { headOf } from '#core/store/log/told.ts';
import { Transcript } from '#core/store/log/transcript.ts';
import { contextParts } from '#core/runs/loop/context-parts.ts';
import { sizeOfTool } from '#core/runs/loop/request-meter.ts';
import type { Harness } from '../../../support/engine.ts';
import { summarising } from '../../../support/fake-model/compacting.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { Gate } from '../../../support/gate.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

const at = '2026-01-01T00:00:00.000Z';
const hash = 'a'.repeat(64);
const picture = { mediaType: 'image/png', bytes: 9, width: 750, height: 10, sha256: hash } as const;
/** So many tokens, by estimate. */
const long = (tokens: number, letter: string): string => letter.repeat(4 * tokens);

const ENTRIES: Entry[] = [
  { n: 0, at, kind: 'user', source: 'person', text: long(30, 'p'), images: [picture] },
  {
    n: 1,
    at,
    kind: 'assistant',
    messageId: 'm',
    responseId: null,
    stopReason: 'tool_use',
    interrupted: false,
    parts: [
      { type: 'thinking', text: long(5, 't'), signature: null },
      { type: 'text', text: long(6, 'a') },
      // Its name, and its input as JSON.
      { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'abcdefg' } },
    ],
  },
  {
    n: 2,
    at,
    kind: 'tool',
    toolCallId: 'c1',
    name: 'read',
    status: 'completed',
    output: long(200, 'r'),
    durationMs: 1,
    metadata: {},
    image: picture,
  },
  { n: 3, at, kind: 'user', source: 'engine', text: long(8, 'e') },
  { n: 4, at, kind: 'system', code: 'resumed', text: long(900, 's') },
];
const tool = { name: 'read', description: long(15, 'd'), inputSchema: {} };
const REQUEST = { system: long(50, 's'), tools: [tool] };
const compaction: CompactionEntry = {
  n: 5,
  at,
  kind: 'compaction',
  upTo: 5,
  prior: [],
  priorRuns: [],
  text: 'Notes',
  kept: 'Kept',
  tokensBefore: 400,
  tokensAfter: 100,
  auto: false,
};

const told = (entries: Entry[]) => ({ prior: [{ runId: 'r', history: new Transcript([]) }], entries });

test('counts the tokens of each kind of context part, without parts that are not sent to the model', () => {
  expect(contextParts(told(ENTRIES), REQUEST, null)).toEqual([
    { kind: 'system', tokens: 50 },
    { kind: 'tools', tokens: Math.ceil(sizeOfTool(tool) / 4) },
    { kind: 'messages', tokens: 40 },
    { kind: 'answers', tokens: 11 + (4 + '{"path":"abcdefg"}'.length + 2) / 4 },
    { kind: 'results', tokens: 210 },
    { kind: 'remarks', tokens: 8 },
  ]);
});

test('counts the summary in place of the compacted entries until the compaction is undone', () => {
  const [system, tools, summary, ...more] = contextParts(told([...ENTRIES, compaction]), REQUEST, null);
  expect([system?.kind, tools?.kind, more]).toEqual(['system', 'tools', []]);
  expect(summary).toEqual({ kind: 'summary', tokens: Math.ceil(headOf(compaction).length / 4) });
  const undone = told([...ENTRIES, { ...compaction, undone: true }]);
  expect(contextParts(undone, REQUEST, null)).toEqual(contextParts(told(ENTRIES), REQUEST, null));
});

test('scales the parts so that they add up to the token count of the provider', () => {
  const own = contextParts(told(ENTRIES), REQUEST, null);
  for (const total of [1, 7, 1000, 30_501]) {
    const parts = contextParts(told(ENTRIES), REQUEST, total);
    expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(total);
    expect(parts.every(({ tokens }) => Number.isInteger(tokens) && tokens > 0)).toBe(true);
  }
  const large = contextParts(told(ENTRIES), REQUEST, 1_000_000);
  const sum = own.reduce((all, { tokens }) => all + tokens, 0);
  for (const [index, { tokens }] of own.entries()) expect(large[index]!.tokens / 1e6).toBeCloseTo(tokens / sum, 2);
});

interface Sent {
  system: { text: string }[];
  tools: { name: string; description: string; input_schema: Record<string, unknown> }[];
}
// Its provider could search, which nothing allows unasked: no request tells of that tool.
const { start } = sharedEngine('providers.anthropic.web_search = "always"\n');

const sumOf = (parts: readonly ContextPart[] = []): number => parts.reduce((sum, { tokens }) => sum + tokens, 0);

/** As the last request had them: a tool too many or too few would move their share. */
function expectTools({ model }: Harness, parts: readonly ContextPart[] = []): void {
  const { system, tools } = model.requests.at(-1)!.body as unknown as Sent;
  const prompt = system.reduce((sum, block) => sum + block.text.length, 0);
  const offered = tools.reduce((sum, one) => sum + sizeOfTool({ ...one, inputSchema: one.input_schema }), 0);
  expect(parts[1]!.tokens / parts[0]!.tokens).toBeCloseTo(offered / prompt, 2);
}

test('returns the parts of the last request and its answer, only if parts are requested', async () => {
  const script = summarising()
    .on({ step: 1 })
    .reply([toolUse('list_directory', { path: '.' })], { usage: { input: 2_000, output: 10 } })
    .on({})
    .reply([text('Done.')], { usage: { input: 1_000, cacheRead: 200_000, output: 40 } });
  const engine = await start(script);
  const { conversationId } = engine;
  const state = (parts: boolean) => engine.runtime.request('context.state', { conversationId, parts });
  expect((await state(true)).parts).toEqual([]);
  await engine.ask('Look at all of it');
  expect((await state(false)).parts).toBeUndefined();
  const { parts = [] } = await state(true);
  expect(sumOf(parts)).toBe(201_040);
  expect(parts.map(({ kind }) => kind)).toEqual(['system', 'tools', 'messages', 'answers', 'results']);
  expectTools(engine, parts);
  await engine.runtime.request('context.compact', { conversationId });
  const after = (await state(true)).parts ?? [];
  const { tokensAfter } = engine.of('compaction').at(-1)!.entry;
  expect(after.map(({ kind }) => kind)).toEqual(['system', 'tools', 'summary', 'answers']);
  expect(sumOf(after)).toBe(tokensAfter);
});

test('returns the parts of the working lead, or of the previous lead until the first response', async () => {
  const [first, second] = [new Gate(), new Gate()];
  const look = [toolUse('list_directory', { path: '.' })];
  const script = new Script()
    .on({ lastUser: /^One/ })
    .reply([text('Done.')], { usage: { input: 1_000, output: 7 } })
    .on({ lastUser: /^Two/, step: 1 })
    .reply(look, { usage: { input: 3_000, output: 9 }, hold: first.at(0) })
    .on({ step: 2 })
    .reply([text('Done.')], { hold: second.at(0) })
    .on({})
    .reply([text('Done.')]);
  const engine = await start(script);
  const { conversationId } = engine;
  const parts = async () => (await engine.runtime.request('context.state', { conversationId, parts: true })).parts;
  await engine.ask('One');
  await engine.send('Two');
  const { workflowId, queued } = await engine.send('Three');
  expect(queued).toBe(true);
  await first.reached;
  expect(sumOf(await parts())).toBe(1_007);
  first.open();
  await second.reached;
  const inHand = await parts();
  expect(sumOf(inHand)).toBe(3_009);
  // What the last response had called for came after it.
  expect(inHand?.map(({ kind }) => kind)).toEqual(['system', 'tools', 'messages', 'answers']);
  expectTools(engine, inHand);
  second.open();
  await engine.ended(workflowId);
});

test('does not read compacted runs from the store again', async () => {
  const engine = await start(
    summarising()
      .on({})
      .reply([text('Done.')]),
  );
  const { conversationId, store } = engine;
  const { runId: old } = await engine.ask('One');
  await engine.ask('Two');
  await engine.runtime.request('context.compact', { conversationId });
  await engine.ask(long(5_000, 't'));
  const read = vi.spyOn(store, 'entriesOf');
  onTestFinished(() => read.mockRestore());
  const { parts } = await engine.runtime.request('context.state', { conversationId, parts: true });
  expect(parts?.map(({ kind }) => kind)).toEqual(['system', 'tools', 'summary', 'messages']);
  expect(read.mock.calls).toHaveLength(2);
  expect(read).not.toHaveBeenCalledWith(old);
});
