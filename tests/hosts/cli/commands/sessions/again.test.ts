/** `triad sessions again` prints like `triad run`; lists, pages and exports contain the link at both ends. */
import { expect, test } from 'vitest';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { CHILD, LEAD, spawn } from '../../../../support/fake-model/scenarios.ts';
import { Script, text } from '../../../../support/fake-model/script.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';
import { commandLine, memoryIo } from '../../../support/memory-io.ts';

const { start } = sharedEngine();

test('again repeats one sub-agent, prints the answer of its lead, and links both sessions', async () => {
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
  const triad = (...args: string[]) => commandLine(client)('sessions', ...args);

  const plain = await triad('again', runId.slice(0, 30), '--approve', 'all');
  expect(plain).toMatchObject({ code: 0, out: 'Done.\n' });
  const [, id = ''] = /Session (\S+) runs \S+ again, after a yes/.exec(plain.err) ?? [];
  expect(plain.err).toContain(`triad run --conversation ${id}`);

  const json = await triad('again', runId, '--approve', 'all', '--json');
  const events = json.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; from?: object; outcome?: string });
  expect(events[0]).toMatchObject({ type: 'workflow-start', from: { conversationId, runId } });
  expect(events.at(-1)).toMatchObject({ type: 'workflow-end', outcome: 'completed' });

  const no = await triad('again', runId, '--approve', 'none');
  expect(no).toMatchObject({ code: 1, out: '' });
  expect(await triad('again', 'f0f0f0')).toMatchObject({ code: 2 });
  expect(await triad('again', conversationId)).toMatchObject({
    code: 2,
    err: `triad: There is no run ${conversationId}: "triad sessions trace SESSION" lists those of a session\n`,
  });
  expect((await triad('trace', conversationId)).out).toContain(`run ${runId}`);
  const count = (await client.request('conversation.list', {})).items.length;
  const unasked = await triad('again', runId);
  expect(unasked).toMatchObject({ code: 2, err: expect.stringContaining('use --approve all') as string });
  expect((await client.request('conversation.list', {})).items).toHaveLength(count);
  expect(await triad('again', 'no such run')).toMatchObject({ code: 2 });

  expect((await triad('show', id)).out).toContain(`Runs a sub-agent again, run ${runId}`);
  expect((await triad('export', id)).out).toContain(`- Run ${runId} of session ${conversationId} again.\n`);
  expect((await triad('export', conversationId)).out).toContain(`- Run ${runId} again in session ${id}.\n`);
  expect(JSON.parse((await triad('show', id, '--json')).out)).toMatchObject({ workflows: [{ from: { runId } }] });
  const fork = { conversationId: id, step: { runId } };
  expect(JSON.parse((await triad('show', conversationId, '--json')).out)).toMatchObject({
    workflows: [{ forks: [fork, { step: { runId } }, { step: { runId } }] }],
  });
  expect(JSON.parse((await triad('trace', id, '--json')).out)).toMatchObject({
    workflows: [{ runs: [{ children: [{ again: { runId } }] }] }],
  });
});

const runId = '01957a10-0000-7000-8000-000000000004';

test('again is not sent twice when the answer to the request is lost', async () => {
  const asked: string[] = [];
  const run = { conversationId: runId, workflowId: runId };
  const owners: AbortController[] = [];
  const client: Client = {
    request: async (method) => {
      asked.push(method);
      if (method === 'run.get') return run as never;
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
  expect(await memoryIo({ client }).run(['sessions', 'again', runId, '--approve', 'all'], { connect })).not.toBe(0);
  expect(asked).toEqual(['run.get', 'conversation.fork']);
});
