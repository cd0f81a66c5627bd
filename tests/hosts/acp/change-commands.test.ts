/** `/undo`, `/redo` and `/rewind` over the protocol: each shows what would change and asks before it does it. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { AcpClient, choose, m } from '../support/acp-client.ts';
import { acpOver } from '../support/acp-lines.ts';

/** The message "Write WORD" writes WORD into the first line of one file; "two" has one line more. */
const script = () =>
  new Script()
    .on({ lastUser: /Write (\w+)/ })
    .reply(({ lastUser }) => {
      const [, word = ''] = /Write (\w+)/.exec(lastUser) ?? [];
      return [toolUse('write_file', { path: 'a.txt', content: `${word}\nend\n${word === 'two' ? 'more\n' : ''}` })];
    })
    .on({})
    .reply([text('Done.')]);

async function startSession(...messages: string[]) {
  const engine = await startEngine(script(), { files: { 'a.txt': 'zero\nend\n' }, isAttended: false });
  const lines = acpOver(engine.runtime, () => undefined);
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  await client.initialize({});
  const id = await client.open(engine.folder);
  for (const message of messages) expect(await client.prompt(id, message)).toBe('end_turn');
  const file = join(engine.folder, 'a.txt');
  client.asked.length = 0;
  return {
    engine,
    client,
    id,
    file,
    read: () => readFile(file, 'utf8'),
    /** The text that the command says. */
    run: async (command: string) => {
      client.told.length = 0;
      await client.prompt(id, command);
      return client.text(id);
    },
    fail: (command: string) => client.prompt(id, command).catch((error: unknown) => (error as Error).message),
    /** Prompts of a session, oldest first. */
    prompts: async (conversationId: string) => {
      const { workflows } = await engine.runtime.request('conversation.snapshot', { conversationId });
      return workflows.map(({ prompt }) => prompt);
    },
  };
}

test('announces undo, redo and rewind as commands', async () => {
  const { client, id } = await startSession('Hello');
  const names = client
    .updates(id)
    .flatMap((update) => (update.sessionUpdate === 'available_commands_update' ? update.availableCommands : []))
    .map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['undo', 'redo', 'rewind']));
});

test('shows the lines that an undo changes, and changes nothing before the yes', async () => {
  const { client, file, read, run } = await startSession('Write one', 'Write two');
  client.answer = async ({ toolCall, options }) => {
    expect(await read()).toBe('two\nend\nmore\n');
    expect(toolCall.title).toBe('Undo the changes of 1 file');
    expect(toolCall.locations).toEqual([{ path: file }]);
    expect(toolCall.content).toEqual([
      { type: 'content', content: { type: 'text', text: '- a.txt  +1 −2' } },
      { type: 'diff', path: file, oldText: 'two\nend\nmore', newText: 'one\nend' },
    ]);
    expect(options.map(({ name }) => name)).toEqual(['Undo', 'Cancel']);
    return choose('allow');
  };
  expect(await run('/undo')).toBe('Undid the changes of 1 file. `/redo` takes that back.');
  expect(await read()).toBe('one\nend\n');
  expect(client.asked).toHaveLength(1);
});

test('names a file that an undo deletes and its redo creates', async () => {
  const { client, id, file, run } = await startSession();
  await rm(file);
  await client.prompt(id, 'Write one');
  client.asked.length = 0;
  for (const command of ['/undo', '/redo', '/rewind 1', '/redo']) await run(command);
  const previews = client.asked.map(({ toolCall }) => JSON.stringify(toolCall.content));
  const [deletes, creates] = ['- a.txt  +0 −2, the file is deleted', '- a.txt  +2 −0, the file is created'];
  expect(previews).toHaveLength(4);
  for (const [index, text] of [deletes, creates, deletes, creates].entries()) expect(previews[index]).toContain(text);
});

test('/undo changes nothing after a rejected or cancelled question', async () => {
  const { client, read, run } = await startSession('Write one');
  client.answer = () => choose('reject');
  expect(await run('/undo')).toBe('Nothing was changed.');
  client.answer = () => ({ outcome: { outcome: 'cancelled' } });
  expect(await run('/undo')).toBe('Nothing was changed.');
  expect(await read()).toBe('one\nend\n');
});

test('undoes message after message, and redoes them in the opposite order', async () => {
  const { read, run } = await startSession('Write one', 'Write two');
  const seen: string[] = [];
  for (const command of ['/undo', '/undo', '/redo', '/redo']) {
    await run(command);
    seen.push((await read()).split('\n', 1)[0]!);
  }
  expect(seen).toEqual(['one', 'zero', 'one', 'two']);
});

test('answers with one line if there is nothing to do', async () => {
  const { client, fail } = await startSession('Hello');
  expect(await fail('/undo')).toBe('Nothing to undo: no change of a file in this session is left');
  expect(await fail('/redo')).toBe('Nothing to redo: no change of a file in this session is undone');
  expect(await fail('/rewind 9')).toBe('There is no message 9: /rewind lists them, 1 to 1');
  expect(await fail('/undo all')).toBe('/undo takes no argument');
  expect(client.asked).toEqual([]);
});

test('refuses to undo a file that was changed since', async () => {
  const { client, file, read, fail } = await startSession('Write one');
  await writeFile(file, 'mine\nother\n');
  expect(await fail('/undo')).toMatch(/^Nothing to undo: a\.txt: /);
  expect(await read()).toBe('mine\nother\n');
  expect(client.asked).toEqual([]);
});

const NEW_SESSION = /^Session `(\S+)` ends before this message: load it to go on there\./;

test('/rewind lists the messages, makes a new session that ends before one of them, and undoes its files', async () => {
  const { client, id, read, run, prompts } = await startSession('Write one', 'Write two', 'Hello');
  expect(await run('/rewind')).toMatch(
    /^Go back to before which message\?.*\n\n1\. Hello .*\n2\. Write two .*\n3\. Write one /,
  );
  client.answer = ({ toolCall, options }) => {
    expect(toolCall.title).toBe('Go back to before “Write two”');
    expect(JSON.stringify(toolCall.content)).toContain('- Hello\\n- Write two');
    expect(JSON.stringify(toolCall.content)).toContain('- a.txt  +1 −2');
    expect(options.map(({ name }) => name)).toEqual(['New session, and undo the files', 'New session only', 'Cancel']);
    return choose('allow');
  };
  const answer = await run('/rewind 2');
  const [, made = ''] = NEW_SESSION.exec(answer) ?? [];
  expect(answer).toContain('Undid');
  expect([await read(), await prompts(made), await prompts(id)]).toEqual([
    'one\nend\n',
    ['Write one'],
    ['Write one', 'Write two', 'Hello'],
  ]);
  client.answer = () => choose('allow');
  expect(await run('/redo')).toContain('Redid');
  expect(await read()).toBe('two\nend\nmore\n');
});

test('/rewind makes a new session without touching files if that option is chosen', async () => {
  const { client, read, run, prompts } = await startSession('Write one', 'Write two');
  client.answer = () => choose('messages');
  const [, made = ''] = NEW_SESSION.exec(await run('/rewind 1')) ?? [];
  expect([await read(), await prompts(made)]).toEqual(['two\nend\nmore\n', ['Write one']]);
});

test('cancelling the prompt withdraws the question, and nothing changes', async () => {
  const { client, id, read } = await startSession('Write one');
  client.answer = (_, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } }));
    });
  const prompt = client.prompt(id, '/undo');
  await client.untilAsked(1);
  await client.agent.notify(m.session.cancel, { sessionId: id });
  expect(await prompt).toBe('cancelled');
  await expect.poll(() => client.withdrawn).toHaveLength(1);
  expect(await read()).toBe('one\nend\n');
});

test.for(['/undo', '/rewind 1'])(
  'does nothing after a yes to %s if another message came meanwhile',
  async (command) => {
    const { engine, client, id, read, fail } = await startSession('Write one');
    client.answer = async ({ toolCall }) => {
      if (!/^Undo|^Go back/.test(toolCall.title ?? '')) return choose('allow');
      const message = { conversationId: id, text: 'Write two', approve: 'all' } as const;
      const { workflowId } = await engine.runtime.request('message.send', message);
      await expect.poll(async () => (await engine.store.workflow(workflowId))?.outcome).toBe('completed');
      return choose('allow');
    };
    expect(await fail(command)).toMatch(/^The session changed while you were asked, so nothing was done/);
    expect(await read()).toBe('two\nend\nmore\n');
    const { items } = await engine.runtime.request('conversation.list', {});
    expect(items.filter(({ from }) => from)).toEqual([]);
  },
);
