/** A batch of writes leaves the rows that the same writes leave one by one. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import type { Write } from '#core/store/store.ts';
import { openOn, type Opened, workflowRow } from '../support.ts';
import { samples } from '../../../support/samples.ts';

let opened: Opened;
beforeAll(async () => {
  opened = await openOn('mem');
});
afterAll(() => opened.close());

const word = fc.constantFrom('lead', 'b', 'c');
const small = fc.integer({ min: -3, max: 9 });
const outcome = fc.constantFrom('completed', 'error', null);
type Fields = Partial<Omit<Extract<Write, { kind: 'update' }>, 'kind' | 'table' | 'key'>>;
const change: fc.Arbitrary<Fields | 'put' | 'delete'> = fc.oneof(
  { weight: 1, arbitrary: fc.constant('put' as const) },
  { weight: 1, arbitrary: fc.constant('delete' as const) },
  {
    weight: 8,
    arbitrary: fc.record(
      {
        set: fc.record(
          { text: fc.string(), outcome, agents: fc.uniqueArray(word), title: fc.jsonValue() },
          { requiredKeys: [] },
        ),
        add: fc.record({ 'usage.requests': small, subAgentCount: small }, { requiredKeys: [] }),
        union: fc.record({ agents: word }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
  },
);

test('for workflows', async () => {
  const { store } = opened;
  const runs = fc.asyncProperty(fc.array(change, { maxLength: 10 }), async (changes) => {
    // An update of a row that is not there is refused: each delete is followed by a put.
    const kinds = changes.flatMap((one): (Fields | 'put' | 'delete')[] =>
      one === 'delete' ? ['delete', 'put'] : [one],
    );
    const writesOf = (id: string): Write[] =>
      (['put', ...kinds] satisfies (Fields | 'put' | 'delete')[]).map((one): Write => {
        const where = { table: 'workflow', key: id } as const;
        if (one === 'put')
          return { kind: 'put', ...where, row: { ...workflowRow({ id, conversationId: 'c', runId: 'r' }) } };
        return one === 'delete' ? { kind: 'delete', ...where } : { kind: 'update', ...where, ...one };
      });
    const [alone, halves, together] = [newId(), newId(), newId()];
    for (const write of writesOf(alone)) await store.commit([], [write]);
    const half = Math.floor(writesOf(halves).length / 2);
    await store.commit([], writesOf(halves).slice(0, half));
    await store.commit([], writesOf(halves).slice(half));
    await store.commit([], writesOf(together));
    const expected = await store.workflow(alone);
    for (const id of [halves, together]) expect({ ...(await store.workflow(id)), id: alone }).toEqual(expected);
  });
  await fc.assert(runs, samples(6, 300));
});

test('what may be missing is left out, and holds up nothing', async () => {
  const { store } = opened;
  const id = newId();
  const append = { notices: { level: 'info', text: 'late', at: '2026-03-01T12:00:00.000Z' } };
  const late: Write = { kind: 'update', table: 'run', key: newId(), append, isOptional: true };
  const row = { ...workflowRow({ id, conversationId: 'c', runId: 'r' }) };
  await store.commit([], [late, { kind: 'put', table: 'workflow', key: id, row }]);
  expect(await store.workflow(id)).not.toBeNull();
});
