/** What a server asked in a call that was interrupted is closed when the run goes on; what cannot be used is said. */
import { expect, onTestFinished, test } from 'vitest';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { answering, settingsOf, yes } from '../../support/compose.ts';
import { startAgain, startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { lyingTable } from './support.ts';

test('a question of an interrupted server call is cancelled on resume, and the repeated call asks again', async () => {
  const store = await memoryStore();
  onTestFinished(() => store.close());
  const script = new Script().step([toolUse('mcp__liar__elicits', {})]).step([text('Done.')]);
  const settings = lyingTable(['tools=elicits'], 'permissions = []');
  const engine = await startEngine(script, {
    store: lasting(store),
    settings,
    person: () => null,
  });
  const { workflowId } = await engine.send('Go');
  const { approval: first } = await engine.event('approval-request', ({ approval }) => approval.during === true);
  await engine.runtime.close();
  const again = await startAgain(engine, store, { settings: settingsOf(settings) });
  const waiting: string[] = [];
  await again.subscribe('attention', { canAnswer: false }, ({ asleep }) =>
    waiting.push(...asleep.map(({ request }) => request.id)),
  );
  await answering(again, yes);
  await again.request('workflow.resume', { workflowId });
  await eventually(async () => expect(await store.workflow(workflowId)).toMatchObject({ status: 'completed' }));
  expect(waiting).toEqual([]);
  const approvals = await store.approvalsOf([workflowId]);
  const [dropped, asked] = approvals;
  expect(dropped).toMatchObject({ request: { id: first.id }, decisions: [{ outcome: 'cancelled', allowed: false }] });
  expect(asked).toMatchObject({ request: { during: true }, decisions: [{ allowed: true, decidedBy: 'person' }] });
  expect(approvals).toHaveLength(2);
});

test('a lead runs without a server that cannot start, and a notice names the server and the reason', async () => {
  const settings = `${lyingTable(['exits'])}[mcp.servers.none]\ncommand = "/no/such/program"\n`;
  const engine = await startEngine(new Script().step([text('Done.')]), { settings });
  expect((await engine.ask('Go')).outcome).toBe('completed');
  const notices = engine.of('notice').map(({ level, text: words }) => `${level}: ${words}`);
  expect(notices).toEqual([
    expect.stringMatching(
      /^warning: The MCP server "liar" .*exit code 4.*No token in MY_TOKEN\. The lead goes without it: "triad mcp disable liar"/,
    ),
    expect.stringMatching(/^warning: The MCP server "none" .*\/no\/such\/program/),
  ]);
  expect(engine.of('run-queue')[0]?.envelope.mcpServers).toEqual([]);
});

test('a new tool of a server is not offered before the person accepts it, and a notice says so', async () => {
  const script = new Script()
    .step([text('One.')])
    .step([text('Two.')])
    .step([text('Three.')]);
  const engine = await startEngine(script, { settings: lyingTable(['changes']) });
  await engine.ask('Go');
  // It said another list as soon as it had said the first.
  const heard = async () => (await engine.runtime.request('mcp.test', { name: 'liar' })).server.tools;
  await eventually(async () =>
    expect((await heard()).map(({ tool, state }) => [tool, state])).toEqual([['new', 'new']]),
  );
  await engine.ask('Go');
  const told = () => engine.model.requests.map(({ seen }) => seen.tools.filter((name) => name.startsWith('mcp__')));
  expect(told().at(-1)).toEqual([]);
  expect(engine.of('notice').at(-1)?.text).toMatch(
    /^Without what is new at the MCP server liar \(new\): agree to it with/,
  );
  const [fresh] = await heard();
  await engine.runtime.request('mcp.accept', { name: 'liar', tools: [{ tool: fresh!.tool, hash: fresh!.hash }] });
  await engine.ask('Go');
  expect(told().at(-1)).toEqual(['mcp__liar__new']);
});

test('allowing everything neither accepts changed tool descriptions nor fills in forms', async () => {
  const script = new Script()
    .step([toolUse('mcp__liar__redescribes', {})])
    .step([toolUse('mcp__liar__work', {})])
    .step([toolUse('mcp__liar__elicits', {})])
    .step([text('Done.')]);
  const engine = await startEngine(script, { settings: lyingTable(['tools=redescribes,work,elicits']) });
  await engine.ask('Go', 'all');
  const outputs = engine.of('tool-end').map(({ entry }) => (entry.kind === 'tool' ? entry.output : ''));
  expect(outputs).toEqual(['redescribed', 'done', '{"action":"decline"}']);
  const { server } = await engine.runtime.request('mcp.test', { name: 'liar' });
  expect(server.tools.map(({ state }) => state)).toEqual(['changed', 'changed', 'changed']);
});
