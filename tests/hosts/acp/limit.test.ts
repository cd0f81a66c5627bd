/** A run at its limit asks the client of the protocol: three options, each of which does what it says. */
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { AcpClient, choose } from '../support/acp-client.ts';
import { acpOver } from '../support/acp-lines.ts';

const script = () =>
  new Script()
    .on({ lastUser: /You have no tools any more/ })
    .reply([text('Half of it.')])
    .on({ turn: 4 })
    .reply([text('All of it.')])
    .on({})
    .reply(({ turn }) => [toolUse('read_file', { path: 'README.md', limit: turn })]);

test.for([
  ['allow', 'end_turn', 4],
  ['reject', 'max_turn_requests', 3],
  ['stop', 'cancelled', 2],
] as const)('%s at a limit ends the turn with %s after %i requests', async ([option, reason, requests]) => {
  const settings = '[limits.workflow]\nmax_iterations = 2\n';
  const engine = await startEngine(script(), { settings, person: () => null, atLimit: () => null });
  const lines = acpOver(engine.runtime, () => undefined);
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  const offered: unknown[] = [];
  client.answer = ({ options, toolCall }) => {
    offered.push([toolCall.title, ...options.map(({ name }) => name)]);
    return choose(option);
  };
  await client.initialize({});
  const id = await client.open(engine.folder);
  expect(await client.prompt(id, 'Go')).toBe(reason);
  expect(offered).toEqual([['This workflow reached its limit of 2 turns', 'Extend', 'Finish now', 'Stop']]);
  expect(engine.model.requests).toHaveLength(requests);
});
