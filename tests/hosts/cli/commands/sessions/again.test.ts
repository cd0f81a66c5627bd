/** `triad sessions again` prints like `triad run`; lists, pages and exports tell of it at both ends. */
import { expect, test } from 'vitest';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { main } from '#hosts/cli/program.ts';
import { CHILD, LEAD, spawn } from '../../../../support/fake-model/scenarios.ts';
import { Script, text } from '../../../../support/fake-model/script.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';
import { memoryIo } from '../../../support/memory-io.ts';

const { start } = sharedEngine();

test('one sub-agent works again, its report is printed, and both sessions say so', async () => {
  const script = new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Find it.', reason: 'Hunt' })])
    .on(CHILD)
    .reply([text('# Report\n\nIt is there.')])
    .on({})
    .reply([text('Done.')]);
  const engine = await start(script);
  const { conversationId, runtime: client } = engine;
  const { subAgents } = await engine.ask('Look');
  const runId = subAgents[0]?.runId ?? '';
  const triad = async (...args: string[]) => {
    const io = memoryIo({ client });
    const code = await main(['sessions', ...args], io);
    await io.screen.flush();
    return { code, out: io.out(), err: io.err() };
  };

  const plain = await triad('again', runId.slice(0, 30), '--approve', 'all');
  expect(plain).toMatchObject({ code: 0, out: '# Report\n\nIt is there.\n' });
  const [, id = ''] = /again, in session (\S+)\. Files stay/.exec(plain.err) ?? [];
  expect(plain.err).toContain(`triad run --conversation ${id}`);

  const json = await triad('again', runId, '--approve', 'all', '--json');
  const events = json.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; seq?: number; again?: object; outcome?: string });
  expect(events[0]).toMatchObject({ type: 'workflow-start', seq: 1, again: { conversationId, runId, as: 'spawn' } });
  expect(events.flatMap(({ seq }) => seq ?? [])).toEqual(
    events.flatMap(({ seq }) => (seq ? [seq] : [])).map((_, at) => at + 1),
  );
  expect(events.at(-1)).toMatchObject({ type: 'workflow-end', outcome: 'completed' });

  const no = await triad('again', runId, '--approve', 'none');
  expect(no).toMatchObject({ code: 1, out: '' });
  expect(await triad('again', 'f0f0f0')).toMatchObject({ code: 2 });
  expect(await triad('again', 'no such run')).toMatchObject({ code: 2 });

  const of = `Run ${runId} of session ${conversationId} again, alone`;
  expect((await triad('show', id)).out).toContain(of);
  expect((await triad('export', id)).out).toContain(`- ${of}. Files stayed as they were.\n`);
  expect((await triad('export', conversationId)).out).toContain(`- Run again in session ${id}.\n`);
  expect(JSON.parse((await triad('show', id, '--json')).out)).toMatchObject({ workflows: [{ again: { runId } }] });
  expect(JSON.parse((await triad('trace', conversationId, '--json')).out)).toMatchObject({
    workflows: [{ runs: [{ children: [{ agains: [{ conversationId: id }, {}, {}] }] }] }],
  });
});

test('is not asked for a second time where the answer to the first is lost: it would be run twice', async () => {
  const asked: string[] = [];
  const owners: AbortController[] = [];
  const client: Client = {
    request: async (method) => {
      asked.push(method);
      owners[0]?.abort();
      throw new TriadError('disconnected', 'Gone');
    },
    subscribe: async () => () => undefined,
  };
  const connect = async () => {
    const gone = new AbortController();
    owners.push(gone);
    return { client, owner: false, lost: gone.signal, close: async () => undefined };
  };
  const io = { ...memoryIo({ client }), connect };
  const runId = '01957a10-0000-7000-8000-000000000004';
  expect(await main(['sessions', 'again', runId, '--approve', 'all'], io)).not.toBe(0);
  expect(asked).toEqual(['run.again']);
});
