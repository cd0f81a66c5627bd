/** Without a key: the client is told how to set one up, and nothing is begun. */
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { Script } from '../../support/fake-model/script.ts';
import { AcpClient, m } from '../support/acp-client.ts';
import { acpOver } from '../support/acp-lines.ts';

test('initialize says that something is to be done, and a session is refused with what', async () => {
  const engine = await startEngine(new Script());
  const request: typeof engine.runtime.request = async (method, input) => {
    const value = await engine.runtime.request(method, input);
    return method === 'app.state' ? { ...value, provider: { ...Object(value).provider, ready: false } } : value;
  };
  const lines = acpOver({ request, subscribe: engine.runtime.subscribe.bind(engine.runtime) });
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  const { authMethods } = await client.initialize();
  expect(authMethods).toMatchObject([{ id: 'setup', description: expect.stringContaining('ANTHROPIC_API_KEY') }]);
  const authenticate = client.agent.request(m.authenticate, { methodId: 'setup' });
  await expect(authenticate).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining('ANTHROPIC_API_KEY'),
  });
  await expect(client.agent.request('session/fork', { sessionId: 'x' })).rejects.toMatchObject({ code: -32601 });
});
