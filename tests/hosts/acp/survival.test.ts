/** Nothing shown is lost, whoever is killed: the owner of the store, the agent, or the client that goes away. */
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { fullTest, inFullRun, variations } from '../../support/samples.ts';
import { AcpClient, clientOf, m } from '../support/acp-client.ts';
import { acpOver } from '../support/acp-lines.ts';
import { connectTo } from '../support/engine.ts';
import { becomesOwner, waits } from '../support/owner.ts';
import { type Machine, machine } from '../support/process.ts';

/** A call, then an answer that hangs in its middle the first times, and comes whole in the end. */
function script(hangs: number): Script {
  const all = new Script();
  all.on({ step: 1 }).reply([text('I write. '), toolUse('write_file', { path: 'a.txt', content: 'a' })]);
  const answer = [text('The answer, word for word.', { deltas: 8 })];
  for (let turn = 0; turn < hangs; turn += 1) all.on({ step: 2 }).reply(answer, { hangAfter: 7, times: 1 });
  return all.on({ step: 2 }).reply([text('The answer, word for word.')]);
}

/** All that was finished when it was shown: whole messages come before the one that hangs. */
function finished(client: AcpClient, id: string) {
  const [said] = client.text(id).split(/The ans|\n\[Inter/);
  return { said, calls: client.calls(id) };
}

/** One more agent: in the full run a process of its own, else in that of the test, with the same store. */
async function another(home: Machine): Promise<{ client: AcpClient; end: () => Promise<void> }> {
  if (inFullRun) {
    const { child, exit } = home.open(['acp']);
    const end = async () => {
      child.stdin?.end();
      expect(await exit).toBe(0);
    };
    return { client: clientOf(child), end };
  }
  const connected = await connectTo(home);
  onTestFinished(() => connected.close());
  const { writable, readable, end } = acpOver(connected.client);
  return { client: new AcpClient(ndJsonStream(writable, readable)), end };
}

// `takeover` kills the owner of a client in every run of the tests.
fullTest([
  'tests/hosts/acp/mapping.test.ts › several requests that lose the owner reconnect once, and each gets its answer',
  'tests/hosts/acp/mapping.test.ts › a message that was stored before the connection failed is not sent again',
  'tests/hosts/owner/takeover.test.ts › after kill -9 of the owner, its client takes over, with one end and no finished request repeated',
])('after kill -9 of the owner the agent takes over, and the turn ends normally', async () => {
  const home = await machine(script(1));
  const owner = await home.app();
  await becomesOwner(home, owner);
  const agent = home.open(['acp']);
  const client = clientOf(agent.child);
  await client.initialize();
  const id = await client.open(home.folder);
  const turn = client.prompt(id, 'Write it');
  await client.untilSaid(id, /The ans/);
  owner.child.kill('SIGKILL');
  expect(await turn).toBe('end_turn');
  expect(client.text(id)).toMatch(/^I write\. The ans.*The answer, word for word\.$/);
  expect(client.calls(id)).toMatchObject([{ name: 'write_file', status: 'completed' }]);
  expect(client.asked).toHaveLength(1);
  expect(agent.err()).toMatch(/has ended: the work goes on here\.\n$/);
  agent.child.stdin?.end();
  expect(await agent.exit).toBe(0);
});

const ENDS = ['SIGKILL', 'SIGTERM', 'stdin'];

test.each(variations(ENDS))(
  'after the agent ends by %s, another agent replays the session and resumes it',
  async (how) => {
    const home = await machine(script(1));
    const first = home.open(['acp']);
    const client = clientOf(first.child);
    await client.initialize();
    const id = await client.open(home.folder);
    const turn = client.prompt(id, 'Write it').catch(() => 'gone');
    await client.untilSaid(id, /The ans/);
    const shown = finished(client, id);
    if (how === 'stdin') first.child.stdin?.end();
    else first.child.kill(how as NodeJS.Signals);
    await first.exit;
    await turn;

    const { client: again, end } = await another(home);
    await again.initialize();
    await again.agent.request(m.session.load, { sessionId: id, cwd: home.folder, mcpServers: [] });
    await expect.poll(() => again.text(id), waits).toMatch(/\[Interrupted: .*"\/resume" goes on/);
    expect(finished(again, id)).toEqual(shown);
    again.told.length = 0;
    expect(await again.prompt(id, '/resume')).toBe('end_turn');
    expect(again.text(id)).toBe('The answer, word for word.');
    expect(again.asked).toEqual([]);
    const writes = home.model.requests.filter(({ body }) => body.messages.length === 1);
    expect(writes).toHaveLength(1);
    await end();
  },
);
