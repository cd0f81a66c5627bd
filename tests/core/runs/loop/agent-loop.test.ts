/** The loop of a run: its events and its history in order, from the message of the person to the answer. */
import { expect, test } from 'vitest';
import type { Entry } from '#contract/message.ts';
import { type Harness, startEngine } from '../../../support/engine.ts';
import { Script, text, thinking, toolUse } from '../../../support/fake-model/script.ts';

const READ_BOTH = ['a.txt', 'b.txt'].map((path) => toolUse('read_file', { path }, { id: `call_${path.at(0)}` }));

/** A lead that reads two files in one response, and answers in the next. */
const startReader = (): Promise<Harness> =>
  startEngine(
    new Script()
      .on({ step: 1 })
      .reply([thinking('Both.', { signature: 'signed' }), text('I read.'), ...READ_BOTH])
      .on({})
      .reply([text('Both are read.')]),
    { files: { 'a.txt': 'AAA', 'b.txt': 'BBB' } },
  );

test('streams thinking and text, emits each call before its result, and ends each turn', async () => {
  const engine = await startReader();
  const { runId } = await engine.ask('Read both');
  const events = engine.events.filter((event) => event.runId === runId);
  const positions = (matches: (event: (typeof events)[number]) => boolean) =>
    events.flatMap((event, index) => (matches(event) ? [index] : []));
  const [firstTurn, lastTurn] = positions(({ type }) => type === 'turn-end');
  const thought = positions(({ type }) => type === 'thinking-delta')[0]!;
  const words = positions(({ type }) => type === 'message-delta')[0]!;
  const [runStart] = positions(({ type }) => type === 'run-start');
  expect([runStart! < thought, thought < words]).toEqual([true, true]);
  for (const id of ['call_a', 'call_b']) {
    const [start] = positions((event) => event.type === 'tool-start' && event.toolCallId === id);
    const [end] = positions((event) => event.type === 'tool-end' && event.entry.toolCallId === id);
    expect([words < start!, start! < end!, end! < firstTurn!]).toEqual([true, true, true]);
  }
  const runEnd = positions(({ type }) => type === 'run-end');
  expect([lastTurn! < runEnd[0]!, runEnd.length]).toEqual([true, 1]);
  expect(engine.of('run-end')[0]).toMatchObject({ outcome: 'completed', text: 'Both are read.' });
});

test('stores the message, the response, a result for each call, and the answer in chronological order', async () => {
  const engine = await startReader();
  const { runId } = await engine.ask('Read both');
  const entries = await engine.store.entriesOf(runId);
  const describeEntry = (entry: Entry): unknown[] => {
    if (entry.kind === 'assistant')
      return [entry.kind, ...entry.parts.map((part) => (part.type === 'tool_use' ? part.id : part.type))];
    if (entry.kind === 'tool') return [entry.kind, entry.toolCallId, entry.status, entry.output];
    return [entry.kind, 'text' in entry ? entry.text : ''];
  };
  const described = entries.map(describeEntry);
  expect([...described.slice(0, 2), ...described.slice(2, 4).toSorted(), ...described.slice(4)]).toEqual([
    ['user', 'Read both'],
    ['assistant', 'thinking', 'text', 'call_a', 'call_b'],
    ['tool', 'call_a', 'completed', 'AAA'],
    ['tool', 'call_b', 'completed', 'BBB'],
    ['assistant', 'text'],
  ]);
  const times = entries.map(({ at }) => Date.parse(at));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  for (const entry of entries) if (entry.kind === 'tool') expect(entry.durationMs).toBeGreaterThan(0);
});
