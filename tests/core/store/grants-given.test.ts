/** Grants of a workflow and the newest questions are read by ids that tell their time, and by nothing else. */
import { expect, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import type { RowChange } from '#contract/rows.ts';
import { memoryStore } from '../../support/stores/pooled.ts';
import { asked, spawnRequest } from '../../hosts/support/events.ts';
import { grantOf } from '../approvals/support.ts';

test('returns only the grants given in a workflow during its run time', async () => {
  const store = await memoryStore();
  const put = (workflowId: string): RowChange => {
    const row = grantOf({ id: newId(), workflowId });
    return { table: 'permission_grant', key: row.id, row };
  };
  const [before, id, other] = [newId(), newId(), newId()];
  await store.commit([put(before), put(id), put(other), put(id)]);
  const given = async (endedAt: string | null) => (await store.grantsGivenIn({ id, endedAt })).length;
  expect(await given(null)).toBe(2);
  expect(await given(new Date().toISOString())).toBe(2);
  expect(await given('2020-01-01T00:00:00.000Z')).toBe(0);
  expect((await store.grantsGivenIn({ id: newId(), endedAt: null })).length).toBe(0);
  await store.close();
});

test('returns the requested number of approvals, newest first', async () => {
  const store = await memoryStore();
  const approvals = Array.from({ length: 5 }, () => asked(spawnRequest({ id: newId() })));
  await store.commit(
    approvals.map(({ request, decisions }) => ({
      table: 'approval',
      key: request.id,
      row: { workflowId: request.workflowId, request, decisions, open: 1 },
    })),
  );
  const found = await store.newestApprovals(3);
  const ids = approvals.map(({ request }) => request.id);
  expect(found.map(({ request }) => request.id)).toEqual(ids.toReversed().slice(0, 3));
  expect(found[0]).toEqual(approvals[4]);
  await store.close();
});
