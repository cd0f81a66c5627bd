/** Three clients lose their owner at the same time: one of them becomes it, and all reach the end of their own work. */
import { expect } from 'vitest';
import { becomesOwner, eventsOf, expectOneEnd, gated, ownerPid, waits } from '../support/owner.ts';
import { machine } from '../support/process.ts';
import { fullTest } from '../../support/samples.ts';

fullTest([
  'tests/core/host/ownership/ownership.test.ts › exactly one of two processes that claim a data folder becomes its owner',
  'tests/hosts/owner/takeover.test.ts › after kill -9 of the owner, its client takes over, with one end and no finished request repeated',
])('when three clients lose their owner, one becomes the owner and all finish their work', async () => {
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
