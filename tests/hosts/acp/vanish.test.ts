/** A client that goes away answers nothing and cancels nothing: what it was working on is interrupted, and goes on later. */
import { readdir } from 'node:fs/promises';
import { type ClientApp, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { AcpClient, choose } from '../support/acp-client.ts';
import { acpOver } from '../support/acp-lines.ts';

async function vanishing(script: Script, more?: (app: ClientApp) => ClientApp, capabilities = {}) {
  const engine = await startEngine(script, { person: () => null });
  const lines = acpOver(engine.runtime);
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable), more);
  await client.initialize(capabilities);
  const conversationId = await client.open(engine.folder);
  const turn = client.prompt(conversationId, 'Write it').catch(() => 'gone');
  const state = () => engine.runtime.request('conversation.snapshot', { conversationId });
  return { engine, lines, client, conversationId, turn, state };
}

const write = toolUse('write_file', { path: 'a.txt', content: 'a' });

test('A client that disconnects while the model answers interrupts the workflow', async () => {
  const script = new Script().on({}).reply([text('One two three four', { deltas: 8 })], { hangAfter: 6 });
  const { lines, client, conversationId, state } = await vanishing(script);
  await client.untilSaid(conversationId, /One/);
  await lines.end();
  await expect.poll(async () => (await state()).workflows[0]?.outcome).toBe('interrupted');
});

test('A client that disconnects during a question leaves it open, and another client answers it', async () => {
  const script = new Script()
    .on({ step: 1 })
    .reply([write])
    .on({})
    .reply([text('Done.')]);
  const { engine, lines, client, conversationId, state } = await vanishing(script);
  client.answer = () => new Promise(() => undefined);
  await client.untilAsked(1);
  await lines.end();
  await expect.poll(async () => (await state()).workflows[0]?.outcome).toBe('interrupted');
  expect((await state()).approvals.map(({ decisions }) => decisions)).toEqual([[null]]);

  const again = acpOver(engine.runtime);
  const other = new AcpClient(ndJsonStream(again.writable, again.readable));
  other.answer = () => choose('allow');
  await other.initialize();
  await other.agent.request('session/resume', { sessionId: conversationId, cwd: engine.folder });
  expect(await other.prompt(conversationId, '/resume')).toBe('end_turn');
  expect(other.asked).toHaveLength(1);
  expect(other.text(conversationId)).toBe('Done.');
});

test('A client that disconnects during a write neither rejects nor repeats that write', async () => {
  const script = new Script()
    .on({ step: 1 })
    .reply([write])
    .on({})
    .reply([text('Done.')]);
  const writing = Promise.withResolvers<void>();
  const hangs = (app: ClientApp) =>
    app.onRequest(methods.client.fs.writeTextFile, () => {
      writing.resolve();
      return new Promise<never>(() => undefined);
    });
  const { engine, lines, conversationId, state } = await vanishing(script, hangs, { fs: { writeTextFile: true } });
  await writing.promise;
  await lines.end();
  await expect.poll(async () => (await state()).workflows[0]?.outcome).toBe('interrupted');
  const again = acpOver(engine.runtime);
  const other = new AcpClient(ndJsonStream(again.writable, again.readable));
  await other.initialize();
  await other.agent.request('session/resume', { sessionId: conversationId, cwd: engine.folder });
  expect(await other.prompt(conversationId, '/resume')).toBe('end_turn');
  expect(other.asked).toEqual([]);
  expect(JSON.stringify(engine.model.requests.at(-1)?.body.messages)).toMatch(/nobody knows whether|outcome unknown/);
  expect(await readdir(engine.folder)).not.toContain('a.txt');
});
