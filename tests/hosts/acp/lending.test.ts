/** The started program as agent of an editor that lends its files, a terminal and an MCP server, also when another process does the work. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClientApp, methods } from '@agentclientprotocol/sdk';
import { expect } from 'vitest';
import { COMPILED } from '../../support/compiled.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { fullTest } from '../../support/samples.ts';
import { expectGone, LIAR } from '../../core/mcp/support.ts';
import { type AcpClient, choose, clientOf } from '../support/acp-client.ts';
import { becomesOwner, waits } from '../support/owner.ts';
import { type Machine, machine } from '../support/process.ts';

const CAPABILITIES = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
const ENV = Object.entries(COMPILED).map(([name, value]) => ({ name, value }));

const { fs, terminal } = methods.client;

/** Its buffers are what it says of files; what it is given is saved. */
const editor = (buffers: Map<string, string>, released: string[]) => (app: ClientApp) =>
  app
    .onRequest(fs.readTextFile, async ({ params: { path } }) => ({
      content: buffers.get(path) ?? (await readFile(path, 'utf8')),
    }))
    .onRequest(fs.writeTextFile, async ({ params: { path, content } }) => {
      buffers.set(path, content);
      await writeFile(path, content);
      return {};
    })
    .onRequest(terminal.create, () => ({ terminalId: 'term-1' }))
    .onRequest(terminal.output, () => ({ output: 'printed\n', truncated: false }))
    .onRequest(terminal.waitForExit, () => ({ exitCode: 0 }))
    .onRequest(terminal.release, ({ params: { terminalId } }) => {
      released.push(terminalId);
      return {};
    });

/** With what an editor lends: a kill -9 of the owner in the middle of an answer, then one of the agent in that of a call. */
function killed(): Script {
  return new Script()
    .step([
      text('I edit. '),
      toolUse('edit_file', { path: 'a.txt', edits: [{ old_text: 'unsaved', new_text: 'agreed' }] }),
    ])
    .step([toolUse('bash', { command: 'make' })])
    .step([toolUse('mcp__liar__work', {})])
    .on({ step: 4 })
    .reply([text('The answer, word for word.', { deltas: 8 })], { hangAfter: 7, times: 1 })
    .on({ step: 4 })
    .reply([toolUse('read_file', { path: 'a.txt' }), toolUse('mcp__liar__report', {})])
    .on({ step: 5 })
    .reply([toolUse('mcp__liar__silent', {})])
    .on({ step: 6 })
    .reply([text('Done.')]);
}

/** Another agent tells all that was shown of a session, and goes on with it. */
async function goesOn(home: Machine, client: AcpClient, sessionId: string): Promise<void> {
  // The terminal was the first agent's: what it printed is told instead.
  const callsOf = (told: AcpClient) =>
    told
      .calls(sessionId)
      .slice(0, -1)
      .map((call) => (call['name'] === 'bash' ? { ...call, content: null } : call));
  // Whole messages, which come before those that were cut off.
  const saidTo = (told: AcpClient) => told.text(sessionId).split(/The ans|\n\[Inter/)[0];
  const shown = { said: saidTo(client), calls: callsOf(client) };
  expect(shown.said).toBe('I edit. ');
  const requests = home.model.requests.length;
  const second = home.open(['acp']);
  const again = clientOf(second.child, editor(new Map(), []));
  await again.initialize(CAPABILITIES);
  await again.agent.request(methods.agent.session.load, { sessionId, cwd: home.folder, mcpServers: [] });
  await expect.poll(() => again.text(sessionId), waits).toMatch(/\[Interrupted: .*"\/resume" goes on/);
  expect({ said: saidTo(again), calls: callsOf(again) }).toEqual(shown);
  again.told.length = 0;
  expect(await again.prompt(sessionId, '/resume')).toBe('end_turn');
  await again.untilSaid(sessionId, /^Done\.$/);
  expect(again.asked).toEqual([]);
  expect(JSON.stringify(home.model.requests.at(-1)?.body.messages)).toContain('outcome unknown');
  // Nothing that was finished is asked again, and no call is made again.
  expect(home.model.requests.slice(requests)).toHaveLength(1);
  second.child.stdin?.end();
  expect(await second.exit).toBe(0);
}

fullTest([
  'tests/hosts/acp/lent-host.test.ts › another process edits an unsaved text and runs a command in the terminal of an ACP client',
  'tests/core/mcp/lent-servers.test.ts › a client server requires approval without showing values, and cannot replace a configured server',
  'tests/hosts/acp/mapping.test.ts › several requests that lose the owner reconnect once, and each gets its answer',
  'tests/hosts/acp/survival.test.ts › after the agent ends by %s, another agent replays the session and resumes it',
])(
  'what the editor lends works, also after kill -9 of the owner, and the session survives kill -9 of the agent',
  async () => {
    const home = await machine(killed());
    const path = join(home.folder, 'a.txt');
    await writeFile(path, 'saved\n');
    const owner = await home.app();
    await becomesOwner(home, owner);
    const agent = home.open(['acp']);
    const buffers = new Map([[path, 'unsaved\n']]);
    const released: string[] = [];
    const client = clientOf(agent.child, editor(buffers, released));
    client.answer = ({ options }) => choose(options[0]!.optionId);
    const { agentCapabilities } = await client.initialize(CAPABILITIES);
    expect(agentCapabilities?.mcpCapabilities).toEqual({ http: true, sse: false });
    const mcpServers = [
      { name: 'liar', command: process.execPath, args: [LIAR, 'deaf', 'kin', 'tools=work,report,silent'], env: ENV },
    ];
    const sessionId = await client.open(home.folder, mcpServers);
    const turn = client.prompt(sessionId, 'Work').catch(() => 'gone');
    await client.untilSaid(sessionId, /The ans/);
    expect(await readFile(path, 'utf8')).toBe('agreed\n');
    expect(client.calls(sessionId)).toMatchObject([
      { name: 'edit_file', status: 'completed' },
      { name: 'bash', status: 'completed', content: [{ type: 'terminal', terminalId: 'term-1' }] },
      { name: 'mcp__liar__work', status: 'completed' },
    ]);
    expect(released).toEqual(['term-1']);
    expect(client.asked[0]?.toolCall.title).toBe('Start the MCP server liar');
    const asked = client.asked.length;
    buffers.set(path, 'unsaved again\n');
    owner.child.kill('SIGKILL');
    await expect
      .poll(() => client.calls(sessionId).slice(-3), waits)
      .toMatchObject([
        { status: 'completed', rawOutput: { output: 'unsaved again\n' } },
        { name: 'mcp__liar__report', status: 'completed' },
        { name: 'mcp__liar__silent', status: 'in_progress' },
      ]);
    // The call is asked about; the server, which the person knows by now, is not.
    expect(client.asked.slice(asked).map(({ toolCall }) => toolCall.title)).toEqual([
      ...['report', 'silent'].flatMap((tool) => [
        `Use ${tool} of the MCP server liar`,
        `This cannot be undone: Use ${tool} of the MCP server liar`,
      ]),
    ]);
    const { rawOutput } = client.calls(sessionId).at(-2) as { rawOutput: { output: string } };
    const { pid, kin } = JSON.parse(rawOutput.output) as { pid: number; kin: number[] };
    expect(kin).toHaveLength(2);
    agent.child.kill('SIGKILL');
    expect([await agent.exit, await turn]).toEqual(['SIGKILL', 'gone']);
    // Not even a deaf server with children stays.
    await expectGone([pid, ...kin]);
    await goesOn(home, client, sessionId);
  },
);

fullTest(
  'tests/hosts/acp/vanish.test.ts › A client that disconnects during a write neither rejects nor repeats that write',
)(
  'after kill -9 of the agent during a write of the editor, its outcome is unknown and it is not repeated',
  async () => {
    const script = new Script()
      .step([toolUse('write_file', { path: 'a.txt', content: 'new\n' })])
      .step([text('Done.')]);
    const home = await machine(script);
    const path = join(home.folder, 'a.txt');
    const first = home.open(['acp']);
    const asked: string[] = [];
    const hangs = (app: ClientApp) =>
      app.onRequest(fs.writeTextFile, ({ params }) => {
        asked.push(params.path);
        return new Promise<never>(() => undefined);
      });
    const client = clientOf(first.child, hangs);
    await client.initialize(CAPABILITIES);
    const sessionId = await client.open(home.folder);
    const turn = client.prompt(sessionId, 'Write it').catch(() => 'gone');
    await expect.poll(() => asked, waits).toEqual([path]);
    first.child.kill('SIGKILL');
    await first.exit;
    await turn;
    // The editor had written it, and answered nobody.
    await writeFile(path, 'new\n');

    const second = home.open(['acp']);
    const again = clientOf(second.child, hangs);
    await again.initialize(CAPABILITIES);
    await again.agent.request(methods.agent.session.load, { sessionId, cwd: home.folder, mcpServers: [] });
    expect(again.calls(sessionId)).toMatchObject([{ name: 'write_file', status: 'in_progress' }]);
    expect(await again.prompt(sessionId, '/resume')).toBe('end_turn');
    expect(again.calls(sessionId)).toMatchObject([
      { status: 'failed', rawOutput: { output: expect.stringContaining('outcome unknown') as string } },
    ]);
    expect(JSON.stringify(home.model.requests.at(-1)?.body.messages)).toContain('outcome unknown');
    expect([asked, again.asked]).toEqual([[path], []]);
    expect(await readFile(path, 'utf8')).toBe('new\n');
    second.child.stdin?.end();
    expect(await second.exit).toBe(0);
  },
);
