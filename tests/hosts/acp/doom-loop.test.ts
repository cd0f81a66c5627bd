/** A lead that repeats itself: the client gets the reason once. */
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { Script, toolUse } from '../../support/fake-model/script.ts';
import { AcpClient, m } from '../support/acp-client.ts';
import { acpOver } from '../support/acp-lines.ts';

const REASON = /Repetitive behaviour detected/g;

test('reports a repeated call once: as the error of the prompt, or as text in a loaded session', async () => {
  const script = new Script().on({}).reply([toolUse('read_file', { path: 'README.md' })]);
  const engine = await startEngine(script, { settings: '[limits]\ndoom_loop_threshold = 2\n' });
  const lines = acpOver(engine.runtime, () => undefined);
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  await client.initialize({});
  const sessionId = await client.open(engine.folder);
  const error = await client.prompt(sessionId, 'Go').catch((thrown: unknown) => thrown);
  expect(String((error as Error).message).match(REASON)).toHaveLength(1);
  expect(client.text(sessionId)).not.toMatch(REASON);

  client.told.length = 0;
  await client.agent.request(m.session.load, { sessionId, cwd: engine.folder, mcpServers: [] });
  expect(client.text(sessionId).match(REASON)).toHaveLength(1);
});
