/** Three clients lose their owner at the same time: one of them becomes it, and all reach the end of their own work. */
import { expect } from 'vitest';
import { becomesOwner, eventsOf, expectOneEnd, gated, ownerPid, waits } from '../support/owner.ts';
import { machine } from '../support/process.ts';
import { fullTest } from '../../support/samples.ts';

fullTest([
  'tests/core/host/ownership/ownership.test.ts › two processes: exactly one wins; in the full run with and without a dead owner, again and again',
  'tests/hosts/owner/takeover.test.ts › kill -9 of the owner while a client streams: one end, no finished request repeated',
])('one wins, the others are its clients', async () => {
  const prompts = ['one', 'two', 'three'];
  const { script, release } = gated(prompts);
  const home = await machine(script);
  const owner = await home.app();
  await becomesOwner(home, owner);
  const clients = prompts.map((prompt) => home.start(['run', '--json', prompt]));
  for (const { out } of clients) await expect.poll(out, waits).toContain('message-delta');
  owner.child.kill('SIGKILL');
  const went = () => clients.map(({ err }) => /the work goes on (here|in the one that runs now)/.exec(err())?.[1]);
  await expect.poll(went, waits).not.toContain(undefined);
  expect(went().filter((where) => where === 'here')).toHaveLength(1);
  expect(await ownerPid(home)).toBe(clients[went().indexOf('here')]?.child.pid);
  for (const prompt of prompts) release(prompt);
  const codes = await Promise.all(clients.map(({ exit }) => exit));
  expect(codes, clients.map(({ err }) => err()).join('---')).toEqual([0, 0, 0]);
  for (const { out } of clients) expectOneEnd(eventsOf(out()));
});
