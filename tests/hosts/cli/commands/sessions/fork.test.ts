/** `triad sessions fork`, and what lists, pages and exports say of it at both ends. */
import { expect, test } from 'vitest';
import { threeChildren } from '../../../../support/fake-model/scenarios.ts';
import { Script, text } from '../../../../support/fake-model/script.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';
import { commandLine } from '../../../support/memory-io.ts';
import { inFullRun } from '../../../../support/samples.ts';

const { start } = sharedEngine();

test('show, list and export link a fork to its origin, and the origin to its fork', async () => {
  const engine = await start(new Script().on({}).reply([text('Done.')]));
  const { conversationId, runtime: client } = engine;
  const { workflowId: first } = await engine.ask('First');
  const { workflowId } = await engine.ask('Second');
  const triad = (...args: string[]) => commandLine(client)('sessions', ...args);
  const show = async (id: string) => (await triad('show', id)).out;
  const exported = async (id: string) => (await triad('export', id)).out;
  const from = `Forked from session ${conversationId}, at workflow ${workflowId}`;

  const made = await triad('fork', conversationId);
  const id = made.out.trim();
  expect(made).toMatchObject({ code: 0, err: expect.stringContaining(`triad run --conversation ${id}`) as string });
  expect(await show(id)).toContain(from);
  expect(await show(conversationId)).toContain(`Forked after this: session ${id}`);
  if (!inFullRun) return;
  const before = await triad('fork', conversationId, '--at', first, '--before', '--json');
  const empty = JSON.parse(before.out) as { id: string; from: object };
  expect(empty.from).toEqual({ conversationId, title: 'First', workflowId: first, last: null, message: 1 });
  expect(await triad('fork', conversationId, '--at', 'f0f0f0')).toMatchObject({ code: 2 });
  expect(await triad('fork', empty.id)).toMatchObject({
    code: 2,
    err: expect.stringContaining('Nothing was said') as string,
  });

  expect(await show(id)).toContain('Taken over from the session that this one was forked from');
  expect(await show(conversationId)).toContain(`Forked before this: session ${empty.id}`);
  expect(await exported(id)).toContain(`- ${from}. The fork changed no file.\n`);
  expect(await exported(conversationId)).toContain(`- Forked after this: session ${id}.\n`);
  const listed = JSON.parse((await triad('list', '--json')).out) as { id: string; from?: object }[];
  expect(listed.find((one) => one.id === id)).toMatchObject({ from: { conversationId, workflowId } });
  expect(listed.find((one) => one.id === conversationId)).not.toHaveProperty('from');
  expect(JSON.parse((await triad('show', id, '--json')).out)).toMatchObject({
    workflows: [
      { copiedFrom: { workflowId: first } },
      { copiedFrom: { conversationId, workflowId }, usage: { costUsd: 0 } },
    ],
  });
});

test('a fork at a step continues from there, and reports which steps are copied', async () => {
  const engine = await start(threeChildren());
  const { conversationId, runtime: client } = engine;
  const { workflowId } = await engine.ask('Look at all of it');
  const triad = (...args: string[]) => commandLine(client)('sessions', ...args);
  const { out: steps } = await triad('fork', conversationId, '--steps');
  expect(steps).toMatch(/^STEP +AGENT +WHAT/);
  expect(steps).toMatch(
    new RegExp(`${workflowId}:1 +lead +response: calls spawn_agent, spawn_agent, spawn_agent: I split`),
  );
  expect(steps).toMatch(/:2 +alpha +result of [a-z_]+: completed/);

  const count = engine.model.requests.length;
  const went = await triad('fork', conversationId, '--at', '4', '--go-on');
  expect(engine.model.requests).toHaveLength(count + 1);
  expect(went.code).toBe(0);
  expect(went.err).toMatch(/Session (\S+) goes on from there\. Files stay as they are/);
  expect(went.err).toContain('≡ lead: response copied, $0\n');
  expect(went.err).toMatch(/✓ alpha copied, \$0\n/);
  expect(went.err.match(/≡ lead: spawn_agent copied, \$0\n/g)).toHaveLength(3);
  expect(went.out).toContain('All parts are done.');
  const id = /Session (\S+) goes on/.exec(went.err)?.[1] ?? '';
  expect((await triad('show', id)).out).toMatch(
    /Went on from step 4 of run[^]*✓ alpha \(spawn\) · completed · copied, \$0/,
  );
  expect((await triad('show', conversationId)).out).toContain(`Forked at a step of this: session ${id}`);

  for (const [args, why] of [
    [['--go-on'], '--go-on needs a step'],
    [['--at', '4', '--before'], '--before belongs to a message'],
    [['--steps', '--go-on'], 'three different things'],
    [['--at', 'nonsense:4'], 'neither the id of one workflow'],
  ] as const) {
    const refused = await triad('fork', conversationId, ...args);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(why) as string });
  }
  expect(await triad('fork', conversationId, '--at', '5', '--go-on')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Nothing follows this step') as string,
  });
});
