/** Two commands at once on one home: the first does the work of both, and stays until the second has its answer. */
import { expect, test } from 'vitest';
import { inProcess } from '../support/engine.ts';
import { machine } from '../support/process.ts';
import { becomesOwner, gated, waits } from '../support/owner.ts';
import { fullTest } from '../../support/samples.ts';

test('the owner waits for the workflow of a second command, and both complete', async () => {
  const { script, release } = gated(['one', 'two']);
  const home = await machine(script);
  // Each connects by itself: the second as a client of the first, as from another process.
  const [here, there] = [inProcess(home, 'memory'), inProcess(home, 'memory')];
  let said = { out: () => '', err: () => '' };
  const first = here(['run', 'one'], '', { watch: (out, err) => (said = { out, err }) });
  await expect.poll(() => said.out(), waits).toContain('The');
  const second = there(['run', 'two']);
  await expect.poll(() => home.model.requests, waits).toHaveLength(2);
  release('one');
  await expect.poll(() => said.err(), waits).toContain('A workflow of another program runs here: waiting for the end');
  expect(said.out()).toBe('The answer to one is this.\n');
  release('two');
  const [{ code }, other] = await Promise.all([first, second]);
  expect([code, other.code, other.out]).toEqual([0, 0, 'The answer to two is this.\n']);
  expect(other.err).not.toContain('has ended');
  home.model.expectDone();
});

fullTest([
  'tests/core/host/ownership/endpoint.test.ts › the owner stops waiting for other workflows when its signal aborts',
  'tests/hosts/owner/takeover.test.ts › after kill -9 of the owner, its client takes over, with one end and no finished request repeated',
])('Ctrl-C ends the waiting owner, and the second command continues its own workflow', async () => {
  const { script, release } = gated(['one', 'two']);
  const home = await machine(script);
  const first = home.start(['run', 'one']);
  await becomesOwner(home, first);
  await expect.poll(first.out, waits).toContain('The');
  const second = home.start(['run', 'two']);
  await expect.poll(second.out, waits).toContain('The');
  release('one');
  await expect.poll(first.err, waits).toContain('waiting for the end');
  first.child.kill('SIGINT');
  expect(await first.exit).toBe(0);
  await expect.poll(second.err, waits).toContain('the work goes on here.');
  release('two');
  expect(await second.exit).toBe(0);
  expect(second.out()).toContain('The answer to two is this.\n');
});
