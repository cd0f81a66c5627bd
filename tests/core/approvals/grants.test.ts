/** Grants in memory: a call is held against those that could answer it, and those that have ended cost nothing. */
import { expect, test } from 'vitest';
import type { Grant } from '#contract/permission.ts';
import { Grants } from '#core/approvals/grants.ts';
import { EventLog } from '#core/store/log/event-log.ts';
import { memoryStore } from '../../support/stores/pooled.ts';
import { grantOf, NOW } from './support.ts';
import { inFullRun } from '../../support/samples.ts';

const ABOUT = { scope: 'lead', tool: 'write_file', folder: '/work', conversationId: 'c', workflowId: 'w' };

/** Counts every look at a grant that the store has handed over. */
async function loaded(stored: readonly Grant[]) {
  const looks = { count: 0 };
  const watched = stored.map(
    (grant) =>
      new Proxy(grant, {
        get: (target, field) => {
          looks.count += 1;
          return Reflect.get(target, field) as unknown;
        },
      }),
  );
  const store = await memoryStore();
  const grants = new Grants(
    { ...store, grants: () => Promise.resolve(watched) },
    new EventLog(store, () => undefined),
    null,
  );
  await grants.load();
  looks.count = 0;
  return { grants, looks, close: () => store.close() };
}

const many = (parts: Partial<Grant>, id: string) =>
  Array.from({ length: inFullRun ? 10_000 : 1000 }, (_, index) => grantOf({ ...parts, id: `${id}${index}` }));

test('thousands of revoked grants are not examined for a call and are not in the list', async () => {
  const revoked = many({ revokedAt: '2026-03-01T11:30:00.000Z' }, 'revoked');
  const { grants, looks, close } = await loaded([...revoked, grantOf({ id: 'one' })]);
  expect(grants.candidates(ABOUT, NOW)).toHaveLength(1);
  const alone = await loaded([grantOf({ id: 'one' })]);
  alone.grants.candidates(ABOUT, NOW);
  expect(looks.count).toBe(alone.looks.count);
  expect(grants.live(NOW)).toHaveLength(1);
  await Promise.all([close(), alone.close()]);
});

test('grants of other agents, tools, folders and workflows are not examined for a call', async () => {
  const others = [
    ...many({ agent: 'other' }, 'a'),
    ...many({ tool: 'glob' }, 't'),
    ...many({ folder: '/other' }, 'f'),
    ...many({ scope: 'workflow', workflowId: 'before' }, 'w'),
    ...many({ scope: 'conversation', conversationId: 'before' }, 'c'),
  ];
  const { grants, looks, close } = await loaded(others);
  expect(grants.candidates(ABOUT, NOW)).toEqual([]);
  expect(looks.count).toBe(0);
  await close();
});

test('a grant found expired is removed for good, even if a later check has an earlier time', async () => {
  const { grants, looks, close } = await loaded([grantOf({ id: 'one' })]);
  const ends = { ...grantOf({ id: 'late', expiresAt: new Date(NOW + 1).toISOString() }) };
  grants.give(ends, () => Promise.resolve());
  expect(grants.candidates(ABOUT, NOW)).toHaveLength(2);
  expect(grants.candidates(ABOUT, NOW + 1)).toHaveLength(1);
  looks.count = 0;
  expect(grants.candidates(ABOUT, NOW).map(({ id }) => id)).toEqual(['one']);
  await close();
});

test('a grant ends with its last allowed call', async () => {
  const { grants, close } = await loaded([grantOf({ id: 'one', maxCalls: 1 })]);
  grants.use('one', () => Promise.resolve());
  expect(grants.candidates(ABOUT, NOW)).toEqual([]);
  expect(() => grants.use('one', () => Promise.resolve())).toThrow('There is no grant one');
  await close();
});

test('a grant applies within its scope: project, conversation or workflow', async () => {
  const scopes = ['project', 'conversation', 'workflow'] as const;
  const { grants, close } = await loaded(scopes.map((scope) => grantOf({ id: scope, scope })));
  const met = (where: Partial<typeof ABOUT>) => grants.candidates({ ...ABOUT, ...where }, NOW).map(({ id }) => id);
  expect(met({})).toEqual(['project', 'conversation', 'workflow']);
  expect(met({ workflowId: 'next' })).toEqual(['project', 'conversation']);
  expect(met({ workflowId: 'next', conversationId: 'other' })).toEqual(['project']);
  await close();
});
