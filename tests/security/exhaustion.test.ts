/** Clients and servers that try to exhaust the program or the person. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, vi } from 'vitest';
import { lyingTable } from '../core/mcp/support.ts';
import { AcpClient } from '../hosts/support/acp-client.ts';
import { acpOver } from '../hosts/support/acp-lines.ts';
import { startEngine, yes } from '../support/engine.ts';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import { attack } from './attacks.ts';

attack('a server that asks 200 questions in one call', async () => {
  const script = new Script()
    .step([toolUse('mcp__liar__elicits-often', {})])
    .step([toolUse('mcp__liar__elicits', {})])
    .step([text('Done.')]);
  const engine = await startEngine(script, {
    settings: lyingTable(['tools=elicits-often,elicits']),
    person: (approval, item) =>
      approval.request.during ? { kind: 'reply', replies: [{ chosen: [], words: 'Ada' }] } : yes(approval, item),
  });
  await engine.ask('Work');
  const calls = engine.of('tool-end').flatMap(({ entry }) => (entry.kind === 'tool' ? entry : []));
  expect(calls).toMatchObject([
    { status: 'error', output: expect.stringContaining('asked more than 3 questions in one call') as string },
    { status: 'completed', output: '{"action":"accept","content":{"name":"Ada"}}' },
  ]);
  const questions = engine.of('approval-request').filter(({ approval }) => approval.during);
  expect(questions).toHaveLength(3 + 1);
});

attack('messages of an ACP client with 100,000 levels', async (tries) => {
  const script = new Script().on({ step: 1 }).reply([toolUse('write_file', { path: 'a.txt', content: 'a' })]);
  const engine = await startEngine(script.on({}).reply([text('Done.')]), { person: () => null });
  const lines = acpOver(engine.runtime);
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  await client.initialize();
  const id = await client.open(engine.folder);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  let sent = 0;
  const send = async (line: string) => {
    sent += 1;
    const writer = lines.writable.getWriter();
    await writer.write(new TextEncoder().encode(`${line}\n`));
    writer.releaseLock();
  };
  const refusals = () =>
    lines.written.filter(({ error }) => JSON.stringify(error ?? '').includes('more than 200 levels'));

  await send(`{"jsonrpc":"2.0","id":"deep","method":"session/list","params":${deep}}`);
  await send(`{"jsonrpc":"2.0","id":${deep},"method":"session/list","params":{}}`);
  await send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"${id}","_meta":${deep}}}`);
  await vi.waitFor(() => expect(refusals().map((line) => line['id'])).toEqual(['deep', null]));

  // A response that is too deep rejects what it answers.
  client.answer = () => new Promise(() => undefined);
  const turn = client.prompt(id, 'Write it');
  const request = await vi.waitFor(() => {
    const found = lines.written.find(({ method }) => method === 'session/request_permission');
    expect(found).toBeDefined();
    return found!;
  });
  await send(`{"jsonrpc":"2.0","id":${JSON.stringify(request['id'])},"result":${deep}}`);
  expect(await turn).toBe('end_turn');
  expect(client.calls(id)).toMatchObject([{ status: 'failed' }]);
  await expect(access(join(engine.folder, 'a.txt'))).rejects.toThrow('ENOENT');
  expect(sent).toBe(tries);
});
