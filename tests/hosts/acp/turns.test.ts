/** A turn of the protocol is a workflow: it ends when the lead calls its work complete, and is one span. */
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { type HarnessOptions, startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { startCollector } from '../../support/telemetry/collector.ts';
import { AcpClient } from '../support/acp-client.ts';
import { acpOver } from '../support/acp-lines.ts';

async function startClient(script: Script, options: HarnessOptions = {}) {
  const engine = await startEngine(script, { person: () => null, ...options });
  const lines = acpOver(engine.runtime);
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  await client.initialize();
  return { engine, client };
}

test('task_complete ends the turn with its summary, and the next turn goes on from it', async () => {
  const path = '.triad/agents/lead.md';
  const lead = '---\nname: lead\ndescription: Leads\nrole: primary\ntools: [task_complete]\n---\nWork.\n';
  const script = new Script()
    .step([text('Nearly. '), toolUse('task_complete', { summary: 'All is done.' })])
    .step([text('As I said.')]);
  const { engine, client } = await startClient(script, { files: { [path]: lead } });
  await engine.trust.add(engine.folder, path, lead);
  const sessionId = await client.open(engine.folder);
  expect(await client.prompt(sessionId, 'Do it')).toBe('end_turn');
  expect(engine.model.requests).toHaveLength(1);
  expect(client.text(sessionId)).toBe('Nearly. All is done.');
  expect(await client.prompt(sessionId, 'And?')).toBe('end_turn');
  expect(JSON.stringify(engine.model.requests[1]?.body.messages)).toContain('All is done.');
});

test('a turn is a span acp_prompt with its agent, session, outcome, tokens, time, calls and rounds', async () => {
  const collector = await startCollector();
  const script = new Script()
    .step([toolUse('list_directory', { path: '.' })], { usage: { input: 70, output: 9 } })
    .step([text('Looked.')], { usage: { input: 30, output: 1 } });
  const settings = `telemetry.endpoint = "${collector.url}"\n`;
  const { engine, client } = await startClient(script, { settings });
  const sessionId = await client.open(engine.folder);
  expect(await client.prompt(sessionId, 'Look')).toBe('end_turn');
  await engine.runtime.close();
  const top = (await collector.have(1)).filter(({ parentSpanId }) => parentSpanId === undefined);
  expect(top).toMatchObject([
    {
      name: 'acp_prompt',
      attributes: {
        'acp_agent.name': 'lead',
        'acp_session.id': sessionId,
        'acp.total_tokens': 110,
        'acp.total_duration_ms': expect.any(Number) as number,
        'acp.tool_calls_count': 1,
        'acp.control_flow.iterations': 1,
        'triad.outcome': 'completed',
      },
    },
  ]);
});
