/** A client that answers what nobody offered, in the wrong shape, or with too much: it is told what is wrong, and nothing hangs. */
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { MAX_MESSAGE_BYTES } from '#contract/limits.ts';
import { MAX_SENT_IMAGES_CHARS } from '#contract/messages/sending-limits.ts';
import { type HarnessOptions, startEngine } from '../../support/engine.ts';
import { type Block, Script, text, toolUse } from '../../support/fake-model/script.ts';
import { AcpClient, choose, m } from '../support/acp-client.ts';
import { acpOver } from '../support/acp-lines.ts';
import { variations } from '../../support/samples.ts';

const write = toolUse('write_file', { path: 'a.txt', content: 'a' });
const QUESTION = { question: 'Which colour?', kind: 'single', choices: [{ label: 'red' }, { label: 'blue' }] };
const ask = toolUse('ask_question', { questions: [QUESTION] });

async function connected(call: Block, options: HarnessOptions = {}, capabilities = {}) {
  const script = new Script().on({ step: 1 }).reply([call]);
  const engine = await startEngine(script.on({}).reply([text('Done.')]), { person: () => null, ...options });
  const lines = acpOver(engine.runtime);
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  await client.initialize(capabilities);
  return { engine, client, lines, id: await client.open(engine.folder) };
}

describe('An invalid answer of the client', () => {
  test('to a permission request counts as a rejection; after an unfit edit it is requested up to five times', async () => {
    const { client, engine, id } = await connected(write);
    const answers = [
      ['an option that was not offered', choose('allow_all'), 'answered "allow_all", which was not offered'],
      ['another shape', { outcome: 'yes' }, 'cannot be read'],
      ['null', null, 'cannot be read'],
      ['nothing', {}, 'cannot be read'],
    ] as const;
    for (const [name, answer, reason] of variations(answers, 2)) {
      const session = await client.open(engine.folder);
      client.answer = () => answer as never;
      expect(await client.prompt(session, 'Write it'), name).toBe('end_turn');
      expect(client.calls(session), name).toMatchObject([
        { status: 'failed', rawOutput: { output: expect.stringContaining(reason) as string } },
      ]);
    }

    client.asked.length = 0;
    client.answer = () => choose('allow', { edit: { path: 5 } });
    expect(await client.prompt(id, 'Write it')).toBe('end_turn');
    expect(client.asked).toHaveLength(5);
    expect(JSON.stringify(client.calls(id)[0]?.['rawOutput'])).toContain('No answer of the client fits');
  });

  test.each([
    ['a form', { elicitation: { form: {} } }],
    ['a choice', {}],
  ])('to a question in %s counts as a rejection with the reason', async (_name, capabilities) => {
    const { client, id } = await connected(ask, {}, capabilities);
    client.elicit = () => null as never;
    client.answer = () => choose('1');
    expect(await client.prompt(id, 'Ask')).toBe('end_turn');
    expect(JSON.stringify(client.calls(id)[0]?.['rawOutput'])).toMatch(/cannot be read|which was not offered/);
  });
});

test('a session with an invalid MCP server is not created, and a loaded session stays usable', async () => {
  const { engine, client, id } = await connected(write);
  const mcpServers = [{ name: 'n'.repeat(201), command: 'c', args: [], env: [] }];
  const conversations = async () => (await engine.runtime.request('conversation.list', { limit: 100 })).items.length;
  const before = await conversations();
  const begun = client.agent.request(m.session.new, { cwd: engine.folder, mcpServers });
  await expect(begun).rejects.toThrow('mcpServers.0.name must have at most 200 characters');
  expect(await conversations()).toBe(before);
  const place = { sessionId: id, cwd: engine.folder };
  await expect(client.agent.request(m.session.load, { ...place, mcpServers })).rejects.toThrow('mcpServers.0.name');
  // The session that stands is as it was.
  expect(await client.prompt(id, 'Write it')).toBe('end_turn');
});

test('rejects a model that is not offered when it is set', async () => {
  const { client, id } = await connected(write);
  const set = (value: string) =>
    client.agent.request(m.session.setConfigOption, { sessionId: id, configId: 'model', value });
  for (const value of ['no-such-model', '', 'a\u0000b'])
    await expect(set(value)).rejects.toThrow(`There is no model "${value}": default, sonnet, haiku, opus`);
  expect((await set('opus')).configOptions.find((one) => one.id === 'model')).toMatchObject({ currentValue: 'opus' });
});

test('reads a line with the largest pictures, and closes the connection after a line of more than 16 MiB', async () => {
  const engine = await startEngine(new Script(), { person: () => null });
  const lines = acpOver(engine.runtime);
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  await client.initialize();
  const list = (mark: string) => client.agent.request(m.session.list, { cwd: engine.folder, _meta: { mark } });
  await expect(list('x'.repeat(MAX_SENT_IMAGES_CHARS))).resolves.toMatchObject({ sessions: [] });
  void list('x'.repeat(MAX_MESSAGE_BYTES)).catch(() => undefined);
  await lines.ended;
  expect(lines.notes.join('\n')).toContain('the client wrote a line of more than 16 MiB');
});
