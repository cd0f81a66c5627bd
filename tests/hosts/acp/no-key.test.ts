/** Without a key: the client is told how to set one up, and nothing is begun. */
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import type { AppState } from '#contract/app-state.ts';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { startEngine } from '../../support/engine.ts';
import { Script } from '../../support/fake-model/script.ts';
import { asRequestError } from '#hosts/acp/request-error.ts';
import { AcpClient, m } from '../support/acp-client.ts';
import { acpOver } from '../support/acp-lines.ts';

test('initialize names the setup step, and a new session is rejected with the missing key', async () => {
  const engine = await startEngine(new Script());
  const request: Client['request'] = async (method, input) => {
    if (method === 'conversation.create') throw new TriadError('no_key', 'No key is set for the provider');
    const value = await engine.runtime.request(method, input);
    if (method !== 'app.state') return value;
    const state = value as AppState;
    return { ...state, provider: { ...state.provider, ready: false } } as typeof value;
  };
  const lines = acpOver({ request, subscribe: engine.runtime.subscribe.bind(engine.runtime) });
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  const { authMethods } = await client.initialize();
  expect(authMethods).toMatchObject([
    { id: 'setup', description: expect.stringContaining('ANTHROPIC_API_KEY') as unknown },
  ]);
  const authenticate = client.agent.request(m.authenticate, { methodId: 'setup' });
  await expect(authenticate).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining('ANTHROPIC_API_KEY') as unknown,
  });
  await expect(client.open(engine.folder)).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining('No key is set') as unknown,
  });
  await expect(client.agent.request('session/fork', { sessionId: 'x' })).rejects.toMatchObject({ code: -32601 });
});

test('the error for a missing key states once what to do', () => {
  expect(asRequestError(new TriadError('no_key', 'No key is set up: enter one')).message).toBe(
    'Authentication required: No key is set up: enter one',
  );
});
