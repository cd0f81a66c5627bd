/** Nothing shown is lost, whoever is killed: the owner of the store, the agent, or the client that goes away. */
import { expect, test } from 'vitest';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { inSoak } from '../../support/samples.ts';
import { type AcpClient, clientOf, m } from '../support/acp-client.ts';
import { becomesOwner, waits } from '../support/owner.ts';
import { machine } from '../support/process.ts';

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

// `lending` kills the owner of an agent in every run of the tests.
test.runIf(inSoak)(
  'kill -9 of the owner: the agent takes over, and the turn ends as if nothing had happened',
  async () => {
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
  },
);

// By SIGKILL in every run of the tests too: in `lending`.
const ENDS = ['SIGKILL', 'SIGTERM', 'stdin'];

test.runIf(inSoak).each(ENDS)(
  'the agent ends by %s in the middle: another one tells all of it again, and goes on',
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

    const second = home.open(['acp']);
    const again = clientOf(second.child);
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
    second.child.stdin?.end();
    expect(await second.exit).toBe(0);
  },
);
