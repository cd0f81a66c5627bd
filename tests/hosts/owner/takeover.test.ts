/** The owner is killed in the middle of a client's workflow: the client takes over, and nothing finished is done again. */
import { expect, test } from 'vitest';
import { threeChildren } from '../../support/fake-model/scenarios.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { fullTest } from '../../support/samples.ts';
import { inProcess } from '../support/engine.ts';
import { becomesOwner, eventsOf, expectOneEnd, waits } from '../support/owner.ts';
import { machine } from '../support/process.ts';

test('after kill -9 of the owner, its client takes over, with one end and no finished request repeated', async () => {
  const home = await machine(threeChildren({ reply: { deltaMs: 20 } }));
  const owner = await home.app();
  await becomesOwner(home, owner);
  await expect.poll(owner.out, waits).toContain('http://');
  // The client is this process.
  let out = () => '';
  const watch = (written: () => string) => void (out = written);
  const running = inProcess(home, 'disk')(['run', '--json', '--approve', 'all', 'Inspect it'], '', { watch });
  const ended = () => eventsOf(out()).filter(({ type }) => type === 'run-end');
  await expect.poll(ended, waits).not.toEqual([]);
  owner.child.kill('SIGKILL');
  const before = home.model.requests.length;

  const client = await running;
  expect(client.code).toBe(0);
  expect(client.err).toMatch(/The Triad that did the work \(pid \d+\) has ended: the work goes on here\.\n/);
  const events = eventsOf(client.out);
  expectOneEnd(events);
  expect(events.at(-1)).toMatchObject({
    subAgents: ['alpha', 'beta', 'gamma'].map((agent) => ({ agent, outcome: 'completed' })),
  });
  const attempts = events.flatMap((event) => (event.type === 'workflow-start' ? [event.attempt] : []));
  expect(attempts).toEqual([1, 2]);

  const bodyOf = ({ body }: { body: { messages: unknown; system?: unknown } }) =>
    JSON.stringify([body.system, body.messages]);
  const responses = new Set(
    events.flatMap((event) =>
      event.type === 'message-end' && event.entry.kind === 'assistant' && !event.entry.interrupted
        ? [event.entry.responseId]
        : [],
    ),
  );
  const finished = home.model.requests
    .slice(0, before)
    .filter(({ responseId }) => responseId !== null && responses.has(responseId));
  expect(finished.length).toBeGreaterThan(0);
  const again = new Set(home.model.requests.slice(before).map(bodyOf));
  expect(finished.filter((request) => again.has(bodyOf(request)))).toEqual([]);
});

fullTest([
  'tests/hosts/cli/render/event-lines.test.ts › gets a note, whether the end of the first part was stored or not',
  'tests/hosts/owner/takeover.test.ts › after kill -9 of the owner, its client takes over, with one end and no finished request repeated',
])('after kill -9 of the owner during an answer, the client prints that the answer starts again', async () => {
  const words = 'The answer, word for word.';
  const script = new Script()
    .on({})
    .reply([text(words, { deltas: 8 })], { hangAfter: 5, times: 1 })
    .on({})
    .reply([text(words)]);
  const home = await machine(script);
  const owner = await home.app();
  await becomesOwner(home, owner);
  await expect.poll(owner.out, waits).toContain('http://');
  const client = home.start(['run', 'Tell it']);
  await expect.poll(client.out, waits).toMatch(/^The/);
  owner.child.kill('SIGKILL');
  expect(await client.exit).toBe(0);
  expect(client.out()).toMatch(/^The.*\nThe answer, word for word\.\n$/);
  const told = '↻ lead: the answer above was cut off, and starts again here:\n';
  expect(client.err().split(told)).toHaveLength(2);
});
