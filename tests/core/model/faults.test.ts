// What servers do wrong, through each of the three adapters: the right class of outcome, and nothing doubled or lost.
import { expect, test } from 'vitest';
import type { ModelEvent } from '#core/model/model.ts';
import { eventually } from '../../support/eventually.ts';
import { attempt, modelFor, PROTOCOLS, requestOf } from '../../support/fake-model/exchange.ts';
import { type Fault, FAULTS, type FaultyServer, startFaulty } from '../../support/fake-model/faults.ts';
import { text, toolUse } from '../../support/fake-model/script.ts';
import { inFullRun } from '../../support/samples.ts';

const WORDS = 'Grüße aus Zürich';
const BLOCKS = [text(WORDS, { deltas: 4 }), toolUse('glob', { pattern: '*' }, { id: 'call_1' })];
const CALL = { type: 'tool_use', id: 'call_1', name: 'glob', input: { pattern: '*' } };

const wordsIn = (events: readonly ModelEvent[]): string =>
  events.flatMap((event) => (event.type === 'delta' && event.kind === 'text' ? [event.text] : [])).join('');

function checkWhole(events: readonly ModelEvent[], { usage }: Fault): void {
  expect(wordsIn(events)).toBe(WORDS);
  expect(events.flatMap((event) => (event.type === 'part' ? [event.value] : []))).toEqual([
    { type: 'text', text: WORDS },
    CALL,
  ]);
  expect(events.filter(({ type }) => type === 'end')).toEqual([{ type: 'end', stopReason: 'tool_use' }]);
  const types = new Set(events.map(({ type }) => type));
  expect([types.has('usage'), types.has('miscount')]).toEqual([usage === undefined, usage === 'miscount']);
}

async function play(server: FaultyServer, protocol: (typeof PROTOCOLS)[number], fault: Fault): Promise<void> {
  server.next([fault], BLOCKS);
  const stop = new AbortController();
  const attempted = attempt(modelFor(protocol, server.url), requestOf({ model: 'm-1' }), stop.signal);
  if (fault.stopMs !== undefined) {
    await eventually(() => expect(server.requests).toHaveLength(1));
    setTimeout(() => stop.abort(), fault.stopMs);
  }
  const { events, error } = await attempted;
  expect(server.requests).toHaveLength(1);
  if (fault.outcome === 'whole') {
    expect(error).toBeNull();
    checkWhole(events, fault);
  } else if (fault.outcome === 'empty') {
    expect(error).toBeNull();
    expect(events.filter(({ type }) => type === 'end')).toHaveLength(1);
  } else {
    const [code, retryable] = fault.outcome;
    expect(error).toMatchObject({ code, retryable });
    expect(events.some(({ type }) => type === 'end')).toBe(false);
    if (fault.stopMs === undefined) expect(WORDS).toContain(wordsIn(events));
  }
}

test.for(PROTOCOLS)(
  '%s: every server fault has the expected outcome, without lost or doubled content',
  async (protocol) => {
    const server = await startFaulty();
    const wrong: string[] = [];
    // Each of them with one protocol; what an adapter makes of its own ones is tried beside it.
    const mine = FAULTS.filter((_, index) => inFullRun || index % PROTOCOLS.length === PROTOCOLS.indexOf(protocol));
    for (const fault of mine)
      await play(server, protocol, fault).catch((error: unknown) => wrong.push(`${fault.name}: ${String(error)}`));
    expect(wrong).toEqual([]);
  },
);
