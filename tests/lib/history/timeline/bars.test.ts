// The bars that are drawn of a lane, what they open, and the request with its answer.
import { expect, it } from 'vitest';
import type { Entry } from '#contract/message.ts';
import { addressOf, chosenIn } from '#lib/history/timeline/address.ts';
import { chosenBy, drawnBars, isChosen, nearestBar } from '#lib/history/timeline/bars.ts';
import { exchangeOf } from '#lib/history/timeline/exchange.ts';
import { scaleOf } from '#lib/history/timeline/scale.ts';
import { WHOLE } from '#lib/history/timeline/zoom.ts';
import type { Bar, BarKind, Lane } from '#lib/history/waterfall.ts';

const none = { requestId: null, tool: null, toolCallId: null, approvalId: null, firstTokenAt: null };
const bar = (kind: BarKind, from: number, to: number, rest: Partial<Bar> = {}): Bar => ({
  kind,
  from,
  to,
  ...none,
  ...rest,
});
const drawn = (bars: Bar[], sight = WHOLE) => drawnBars({ bars } as Lane, scaleOf({ from: 0, to: 10_000 }, []), sight);

it('draws the visible bars, with model bars split at the first token', () => {
  const bars = [
    bar('model', 0, 4000, { requestId: 'a', firstTokenAt: 1000 }),
    bar('tools', 4000, 5000, { toolCallId: 'c' }),
    bar('model', 9000, 10_000, { requestId: 'b' }),
  ];
  expect(drawn(bars).map(({ left, width, first }) => [left, width, first])).toEqual([
    [0, 40, 0.25],
    [40, 10, 0],
    [90, 10, 0],
  ]);
  const near = drawn(bars, { from: 0.4, to: 0.6 });
  expect(near.map(({ left, width }) => [Math.round(left), Math.round(width)])).toEqual([
    [-200, 200],
    [0, 50],
  ]);
});

it('merges bars that are too close to distinguish, until the axis is zoomed', () => {
  const bars = Array.from({ length: 2000 }, (_, n) => bar('tools', n * 5, n * 5 + 1, { toolCallId: String(n) }));
  expect(drawn(bars).length).toBeLessThan(700);
  expect(drawn(bars, { from: 0, to: 0.01 })).toHaveLength(21);
});

it('each bar has an address that selects it again', () => {
  const bars = [
    bar('model', 0, 1, { requestId: 'r 1' }),
    bar('model', 2, 3, { requestId: 'r 2' }),
    bar('mcp', 0, 1, { toolCallId: 'c&1', tool: 'mcp__x__y' }),
    bar('wait', 0, 1, { approvalId: 'q' }),
    bar('queue', 0, 1),
  ];
  for (const one of bars) {
    const chosen = chosenBy('run', one);
    for (const shown of ['run', 'other']) {
      const params = new URLSearchParams(addressOf(shown, chosen));
      expect(params.get('run')).toBe(shown);
      expect(chosenIn(params, 'lead')).toEqual(chosen);
    }
    expect(bars.filter((other) => isChosen(chosen, 'run', other))).toEqual([one]);
    expect(isChosen(chosen, 'other', one)).toBe(false);
  }
  expect(chosenIn(new URLSearchParams(addressOf('run', null)), 'lead')).toBeNull();
  expect(chosenIn(new URLSearchParams('request=r'), 'lead')).toEqual({ kind: 'request', runId: 'lead', id: 'r' });
});

it('nearestBar returns the bar of another lane that is nearest in time', () => {
  const [first, second] = [drawn([bar('model', 0, 1000), bar('model', 8000, 9000)]), drawn([bar('tools', 7000, 8000)])];
  expect(nearestBar(first, second[0])).toBe(first[1]);
  expect(nearestBar(first, undefined)).toBe(first[0]);
  expect(nearestBar([], second[0])).toBeNull();
});

it('exchangeOf finds the answer of a request, and the entries sent to the model before it', () => {
  const at = (ms: number) => new Date(ms).toISOString();
  const assistant = (n: number, ms: number, rest = {}) =>
    ({ kind: 'assistant', n, at: at(ms), messageId: `m${n}`, parts: [], ...rest }) as unknown as Entry;
  const entries = [
    { kind: 'user', n: 0, at: at(0), source: 'parent', text: 'Look.' },
    assistant(1, 2000),
    { kind: 'tool', n: 2, at: at(2500), name: 'grep', toolCallId: 'c' },
    { kind: 'user', n: 3, at: at(2600), source: 'engine', text: 'Go on.' },
    assistant(4, 5010),
    assistant(5, 5020, { by: 'coagent' }),
  ] as Entry[];
  const request = (from: number, to: number, rest = {}) => ({
    requestId: `r${from}`,
    startedAt: at(from),
    durationMs: to - from,
    ...rest,
  });
  const first = exchangeOf(request(100, 1990), entries);
  expect([first.answer?.n, first.told.map(({ n }) => n)]).toEqual([1, [0]]);
  const second = exchangeOf(request(3000, 5000), entries);
  expect([second.answer?.n, second.told.map(({ n }) => n)]).toEqual([4, [2, 3]]);
  const failed = exchangeOf(request(2700, 2800), entries);
  expect([failed.answer, failed.told.map(({ n }) => n)]).toEqual([null, [2, 3]]);
  expect(exchangeOf(request(3000, 5000, { purpose: 'review' }), entries).answer).toBeNull();
});

it('exchangeOf matches the turns of a fast model by request id', () => {
  const at = (ms: number) => new Date(ms).toISOString();
  const assistant = (n: number, id?: string) =>
    ({
      kind: 'assistant',
      n,
      at: at(n * 100),
      parts: [],
      ...(id && { request: { id } }),
    }) as unknown as Entry;
  const prompt = { kind: 'user', n: 0, at: at(0), source: 'parent', text: 'Look.' };
  const result = { kind: 'tool', n: 2, at: at(200), name: 'grep', toolCallId: 'c' };
  const turns = [0, 200].map((from, turn) => ({ requestId: `r${turn}`, startedAt: at(from), durationMs: 100 }));
  const found = (entries: unknown[]) =>
    turns.map((turn) => exchangeOf(turn, entries as Entry[])).map(({ answer, told }) => [answer?.n, told[0]?.n]);
  expect(found([prompt, assistant(1, 'r0'), result, assistant(3, 'r1')])).toEqual([
    [1, 0],
    [3, 2],
  ]);
  // Of older versions none is named; of a first one that was lost nothing is taken from the next.
  expect(found([prompt, assistant(1), result, assistant(3)])[0]).toEqual([1, 0]);
  expect(found([prompt, result, assistant(3, 'r1')])).toEqual([
    [undefined, 0],
    [3, 0],
  ]);
});
