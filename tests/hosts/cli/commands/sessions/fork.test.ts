/** `triad sessions fork`, and what lists, pages and exports say of it at both ends. */
import { expect, test } from 'vitest';
import { main } from '#hosts/cli/program.ts';
import { Script, text } from '../../../../support/fake-model/script.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';
import { memoryIo } from '../../../support/memory-io.ts';

const { start } = sharedEngine();

test('a fork says where it is from, and the first one that it was made', async () => {
  const engine = await start(new Script().on({}).reply([text('Done.')]));
  const { conversationId, runtime: client } = engine;
  const { workflowId: first } = await engine.ask('First');
  const { workflowId } = await engine.ask('Second');
  const triad = async (...args: string[]) => {
    const io = memoryIo({ client });
    const code = await main(['sessions', ...args], io);
    await io.screen.flush();
    return { code, out: io.out(), err: io.err() };
  };
  const show = async (id: string) => (await triad('show', id)).out;
  const exported = async (id: string) => (await triad('export', id)).out;

  const made = await triad('fork', conversationId);
  const id = made.out.trim();
  expect(made).toMatchObject({ code: 0, err: expect.stringContaining(`triad run --conversation ${id}`) as string });
  const before = await triad('fork', conversationId, '--at', first, '--before', '--json');
  const empty = JSON.parse(before.out) as { id: string; from: object };
  expect(empty.from).toEqual({ conversationId, title: 'First', workflowId: first, last: null });
  expect(await triad('fork', conversationId, '--at', 'f0f0f0')).toMatchObject({ code: 2 });
  expect(await triad('fork', empty.id)).toMatchObject({
    code: 2,
    err: expect.stringContaining('Nothing was said') as string,
  });

  const from = `Forked from session ${conversationId}, at workflow ${workflowId}`;
  expect(await show(id)).toContain(from);
  expect(await show(id)).toContain('Taken over from the session that this one was forked from');
  expect(await show(conversationId)).toContain(`Forked after this: session ${id}`);
  expect(await show(conversationId)).toContain(`Forked before this: session ${empty.id}`);
  expect(await exported(id)).toContain(`- ${from}. Files stayed as they were.\n`);
  expect(await exported(conversationId)).toContain(`- Forked after this: session ${id}.\n`);
  const listed = JSON.parse((await triad('list', '--json')).out) as { id: string; from?: object }[];
  expect(listed.find((one) => one.id === id)).toMatchObject({ from: { conversationId, workflowId } });
  expect(listed.find((one) => one.id === conversationId)).not.toHaveProperty('from');
  expect(JSON.parse((await triad('show', id, '--json')).out)).toMatchObject({
    workflows: [{ taken: { workflowId: first } }, { taken: { conversationId, workflowId }, usage: { costUsd: 0 } }],
  });
});
