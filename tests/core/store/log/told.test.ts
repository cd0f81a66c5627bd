/** What a model is told before and after compactions: always a conversation that a provider takes, with nothing lost after the cut. */
import { expect, test } from 'vitest';
import fc from 'fast-check';
import type { Entry, Part } from '#contract/message.ts';
import { type Earlier, headOf, placesOf, toldWire } from '#core/store/log/told.ts';
import { callsOf, toWire, Transcript } from '#core/store/log/transcript.ts';
import { cutOf, cutsOf } from '#core/runs/loop/compaction-cut.ts';
import { restored } from '#core/runs/loop/compaction-requests.ts';
import { sizeOfMessages } from '#core/runs/loop/request-meter.ts';
import type { WireMessage } from '#core/model/model.ts';
import { samples } from '../../../support/samples.ts';

const response = (id: string, calls: number, interrupted = false) => ({
  kind: 'assistant' as const,
  messageId: id,
  responseId: null,
  interrupted,
  parts: [
    { type: 'thinking' as const, text: 'Hm.', signature: `signed-${id}` },
    { type: 'text' as const, text: `Words of ${id}` },
    ...Array.from({ length: calls }, (_, at) => ({
      type: 'tool_use' as const,
      id: `${id}-${at}`,
      name: 'look',
      input: { at },
    })),
  ] satisfies Part[],
  stopReason: calls > 0 ? ('tool_use' as const) : ('end_turn' as const),
});

const result = (toolCallId: string) => ({
  kind: 'tool' as const,
  toolCallId,
  name: 'look',
  status: 'completed' as const,
  durationMs: 1,
  metadata: {},
  output: `Result of ${toolCallId}`,
});

/** One step of a story: so many calls, whether an attempt broke off before it, and whether words came after it. */
const turns = fc.array(
  fc.record({
    calls: fc.integer({ min: 0, max: 3 }),
    broken: fc.boolean(),
    words: fc.boolean(),
    /** A compaction in the middle of its calls: after so many results; taken back; how much is to stay. */
    compact: fc.option(
      fc.record({
        after: fc.integer({ min: 0, max: 3 }),
        undone: fc.boolean(),
        keep: fc.integer({ min: 0, max: 300 }),
      }),
    ),
  }),
  { minLength: 1, maxLength: 8 },
);

type Turns = typeof turns extends fc.Arbitrary<infer T> ? T : never;
type Check = (prior: Earlier[], entries: Entry[], undo: boolean) => void;

/** Plays a run; `atCompaction` makes one where it can be made. */
function play(name: string, story: Turns, prior: Earlier[], check: Check): Transcript {
  const history = new Transcript([]);
  history.add({ kind: 'user', source: 'person', text: `Prompt of ${name}` });
  story.forEach(({ calls, broken, words, compact }, turn) => {
    const id = `${name}-${turn}`;
    if (broken) history.add(response(`${id}-broken`, 1, true));
    if (broken) history.add({ kind: 'system', code: 'resumed', text: 'Resumed' });
    const said = history.add(response(id, calls));
    callsOf(said).forEach((call, at) => {
      if (compact?.after === at) compacted(history, prior, compact, check);
      history.add(result(call.id));
    });
    if (compact && compact.after >= calls) compacted(history, prior, compact, check);
    if (words || calls === 0) history.add({ kind: 'user', source: 'engine', text: `Words after ${id}` });
    check(prior, history.entries, false);
  });
  return history;
}

function compacted(
  history: Transcript,
  prior: Earlier[],
  { keep, undone }: { keep: number; undone: boolean },
  check: Check,
): void {
  const told = { prior, entries: history.entries };
  const before = toldWire(told);
  const upTo = cutOf(told, keep);
  if (upTo === null) return;
  const sizes = { tokensBefore: 9, tokensAfter: 3, auto: true };
  const text = `Summary at ${history.entries.length}`;
  const entry = history.add({ kind: 'compaction', text, upTo, kept: 'Kept', ...placesOf(prior), ...sizes });
  check(prior, history.entries, false);
  history.replace(restored(history.entries, entry.n, true));
  expect(toldWire({ prior, entries: history.entries }), 'undone, all is as it was').toEqual(before);
  if (!undone) history.replace(restored(history.entries, entry.n, false));
  check(prior, history.entries, undone);
}

/** Roles alternate within a run, and each call has its one result in the very next message. */
function expectTaken(messages: readonly WireMessage[]): void {
  expect(messages[0]?.role).toBe('user');
  messages.forEach((message, at) => {
    expect(message.content.length).toBeGreaterThan(0);
    const results = message.content.flatMap((part) => (part.type === 'tool_result' ? [part.toolCallId] : []));
    const before = messages[at - 1];
    const calls =
      before?.role === 'assistant' ? before.content.flatMap((part) => (part.type === 'tool_use' ? [part.id] : [])) : [];
    expect(results).toEqual(calls);
    if (message.role === 'assistant') expect(before?.role).toBe('user');
  });
}

const stories = fc.record({ earlier: fc.array(turns, { maxLength: 2 }), now: turns });

test('a request after any compaction is valid and contains everything after the cut', () => {
  fc.assert(
    fc.property(stories, ({ earlier, now }) => {
      const prior: Earlier[] = [];
      let made = 0;
      const check: Check = (before, entries) => {
        const messages = toldWire({ prior: before, entries });
        expectTaken(messages);
        const last = entries.findLast((entry) => entry.kind === 'compaction' && !entry.undone);
        if (last?.kind !== 'compaction') return;
        made += 1;
        const head: WireMessage['content'][number] = { type: 'text', text: headOf(last) };
        expect(messages[0]?.content[0]).toEqual(head);
        const after = toWire(entries.filter(({ n }) => n >= last.upTo));
        const own = messages.flatMap(({ content }): unknown[] => content).slice(1);
        expect(own).toEqual(after.flatMap(({ content }): unknown[] => content));
      };
      earlier.forEach((story, at) =>
        prior.push({ runId: `w${at}`, history: play(`w${at}`, story, [...prior], check) }),
      );
      play('now', now, prior, check);
      fc.pre(made > 0);
    }),
    samples(25),
  );
});

test('a request includes messages that an earlier workflow adds after the summary', () => {
  const [first, second] = [new Transcript([]), new Transcript([])];
  for (const [history, name] of [
    [first, 'one'],
    [second, 'two'],
  ] as const) {
    history.add({ kind: 'user', source: 'person', text: name });
    history.add(response(name, 0));
  }
  const prior = [{ runId: 'one', history: first }];
  const entry = {
    kind: 'compaction' as const,
    text: 'Both.',
    kept: '',
    upTo: 1,
    prior: [2],
    priorRuns: ['one'],
    auto: false,
  };
  second.add({ ...entry, tokensBefore: 9, tokensAfter: 3 });
  first.add({ kind: 'user', source: 'engine', text: 'Go on.' });
  first.add(response('late', 0));
  const said = JSON.stringify(toldWire({ prior, entries: second.entries }));
  expect(said).toContain('Go on.');
  expect(said).toContain('Words of late');
  expect(said).not.toContain('Words of one');
});

const said = (name: string): Earlier => {
  const history = new Transcript([]);
  history.add({ kind: 'user', source: 'person', text: name });
  history.add(response(name, 0));
  return { runId: name, history };
};

test('a summary replaces only the runs that it names, and other runs come first in full', () => {
  const [one, two, now] = [said('one'), said('two'), said('now')];
  const sizes = { tokensBefore: 9, tokensAfter: 3, auto: false };
  now.history.add({ kind: 'compaction', text: 'Two.', kept: '', upTo: 1, ...placesOf([two]), ...sizes });
  const told = (prior: Earlier[]) => JSON.stringify(toldWire({ prior, entries: now.history.entries }));
  expect(told([two])).not.toContain('Words of two');
  const again = told([one, two]);
  expect(again).toContain('Words of one');
  expect(again).not.toContain('Words of two');
  expect(again.indexOf('Words of one')).toBeLessThan(again.indexOf('<summary>'));
});

test('calls of an earlier run that were open at the summary get their later results', () => {
  const [one, now] = [new Transcript([]), said('now')];
  one.add({ kind: 'user', source: 'person', text: 'one' });
  one.add(response('a', 0));
  one.add(response('b', 1));
  const prior = [{ runId: 'one', history: one }];
  const sizes = { tokensBefore: 9, tokensAfter: 3, auto: false };
  now.history.add({ kind: 'compaction', text: 'All.', kept: '', upTo: 1, ...placesOf(prior), ...sizes });
  one.add(result('b-0'));
  const wire = toldWire({ prior, entries: now.history.entries });
  expectTaken(wire);
  expect(JSON.stringify(wire)).toContain('Result of b-0');
  expect(JSON.stringify(wire)).not.toContain('Words of a');
});

test('a compaction cuts before a response, and keeps all that fits and always the newest turn', () => {
  const history = new Transcript([]);
  history.add({ kind: 'user', source: 'person', text: 'Go' });
  for (const name of ['a', 'b', 'c']) {
    const said = history.add(response(name, 1));
    history.add(result(callsOf(said)[0]!.id));
  }
  const told = { prior: [], entries: history.entries };
  const sizes = cutsOf(told).map((n) => sizeOfMessages(toWire(history.entries.filter((entry) => entry.n >= n))));
  expect(cutsOf(told)).toEqual([3, 5]);
  expect(cutOf(told, 10_000)).toBe(3);
  expect(cutOf(told, sizes[0]! - 1)).toBe(5);
  expect(cutOf(told, 0)).toBe(5);
  expect(cutOf({ prior: [], entries: history.entries.slice(0, 3) }, 0), 'one turn alone stays').toBeNull();
});
