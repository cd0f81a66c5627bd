/** MCP servers that a client passes with its conversation: asked about first, for it alone, and gone with the client. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LentServer } from '#contract/hosts/lent.ts';
import { newId } from '#core/base/ids.ts';
import { LentServers } from '#core/mcp/lent-servers.ts';
import { COMPILED } from '../../support/compiled.ts';
import { type Harness, startEngine, yes } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { lendTo } from '../../support/lender.ts';
import { folderWith } from '../../support/workspace.ts';
import { expectGone, LIAR, lyingTable } from './support.ts';
import { fullTest, inFullRun } from '../../support/samples.ts';

const SECRET = 'sk-very-secret-0123456789';

function passed(more: Partial<LentServer> = {}): Partial<LentServer> {
  const env = { ...COMPILED, API_TOKEN: SECRET, LITERAL: '${PATH}' };
  return {
    name: 'liar',
    type: 'stdio',
    command: process.execPath,
    args: [LIAR, 'tools=work,report'],
    env,
    ...more,
  };
}
const using = (tool: string) =>
  new Script()
    .on({ step: 1 })
    .reply([toolUse(tool, {})])
    .on({})
    .reply([text('Done.')]);
const results = (engine: Harness) =>
  engine.of('tool-end').flatMap(({ entry }) => (entry.kind === 'tool' ? [entry] : []));
/** The questions about servers, not those about calls. */
const asked = (engine: Harness) =>
  engine.of('approval-request').flatMap(({ approval }) => (approval.subject.kind === 'action' ? [approval] : []));
const notices = (engine: Harness) => engine.of('notice').map((notice) => notice.text);
const toolsOf = (engine: Harness, n: number): string[] =>
  (engine.model.requests[n]?.body.tools ?? []).map(({ name }: { name: string }) => name);

test('a client server requires approval without showing values, and cannot replace a configured server', async () => {
  const data = await folderWith({});
  const settings = '[mcp.servers.mine]\nurl = "http://127.0.0.1:9/"\n';
  const engine = await startEngine(using('mcp__liar__report'), { data, settings });
  const { runtime, conversationId } = engine;
  const [sseServer, badServer] = [
    { name: 'old', type: 'sse' as const, url: 'https://example.com/sse' },
    { name: 'bad', type: 'http' as const, url: 'no address' },
  ];
  const client = await lendTo(runtime, conversationId, {
    mcp: [passed(), passed({ name: 'mine' }), sseServer, badServer],
  });
  await engine.ask('Work');
  expect(notices(engine).filter((notice) => !notice.includes('could not be connected'))).toEqual([
    expect.stringContaining('yours of the same name is used') as string,
    expect.stringMatching(/"old".*SSE/) as string,
    expect.stringContaining('"bad"') as string,
  ]);
  expect(toolsOf(engine, 0).filter((name) => name.startsWith('mcp__mine__'))).toEqual([]);
  const [question, ...others] = asked(engine);
  expect(others).toEqual([]);
  expect(question).toMatchObject({ title: 'Start the MCP server liar', risk: 'high', reversible: false });
  expect(question?.description).toContain('API_TOKEN');
  expect(question?.subject).toMatchObject({ action: expect.stringContaining(`${LIAR} tools=work,report`) as string });
  expect(question).not.toHaveProperty('grant');
  const report = JSON.parse(results(engine)[0]!.output.split('\n\n[Redacted here')[0]!) as {
    pid: number;
    env: Record<string, string>;
    cwd: string;
  };
  expect(report.env['API_TOKEN']).toBe('[redacted: known key]');
  expect(report.env['LITERAL']).toBe('${PATH}');
  expect(report.cwd).toBe(join(`${data}-data`, 'caches/servers'));
  expect(engine.of('run-start')[0]?.envelope).toMatchObject({ mcpServers: ['liar'] });
  client.leave();
  await expectGone([report.pid]);
  await engine.runtime.close();
  const files = await readdir(data, { recursive: true, withFileTypes: true });
  for (const file of files.filter((one) => one.isFile()))
    expect(await readFile(join(file.parentPath, file.name), 'utf8')).not.toContain(SECRET);
  const stored = engine.durable().filter(({ type }) => type !== 'tool-end' && type !== 'message-end');
  expect(JSON.stringify(stored)).not.toContain(SECRET);
});

fullTest(
  'tests/core/mcp/lent-servers.test.ts › an approval applies only to the exact client server and folder, in any conversation to which it is passed',
)('an approved client server requires no second approval until its configuration changes', async () => {
  const engine = await startEngine(using('mcp__liar__report'), { data: await folderWith({}) });
  const { runtime, conversationId } = engine;
  const client = await lendTo(runtime, conversationId, { mcp: [passed()] });
  await engine.ask('Work');
  await engine.ask('Work');
  client.leave();
  const again = await lendTo(runtime, conversationId, { mcp: [passed()] });
  await engine.ask('Work');
  expect(asked(engine)).toHaveLength(1);
  expect(results(engine).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  // Any other configuration is asked about, also where only a value differs that nobody sees.
  again.leave();
  await lendTo(runtime, conversationId, { mcp: [passed({ env: { ...COMPILED, API_TOKEN: 'another' } })] });
  await engine.ask('Work');
  expect(asked(engine)).toHaveLength(2);
});

test('a rejected client server is not started or proposed again, and without a person no server starts', async () => {
  const engine = await startEngine(using('mcp__liar__work'), {
    person: ({ request }, item) =>
      request.subject.kind === 'action' ? { kind: 'reject', reason: 'no' } : yes({ request, decisions: [] }, item),
  });
  const { runtime, conversationId } = engine;
  const client = await lendTo(runtime, conversationId, { mcp: [passed()] });
  await engine.ask('Work');
  await engine.ask('Work');
  expect(asked(engine)).toHaveLength(1);
  expect(toolsOf(engine, 0)).not.toContain('mcp__liar__work');
  expect(notices(engine)).toEqual([expect.stringContaining('nobody has said yes') as string]);
  client.leave();
  await lendTo(runtime, conversationId, { mcp: [passed()] });
  for (const approve of ['all', 'none'] as const) {
    await engine.ask('Work', approve);
    expect(asked(engine).at(-1)).toBeDefined();
    const decided = engine.of('approval-decide').filter(({ approvalId }) => approvalId === asked(engine).at(-1)?.id);
    expect(decided).toMatchObject([{ decision: { allowed: false, decidedBy: 'rule' } }]);
  }
  expect(toolsOf(engine, engine.model.requests.length - 1)).not.toContain('mcp__liar__work');
});

test('a call to a client server fails if the client disconnects before the call is approved', async () => {
  const engine = await startEngine(using('mcp__liar__work'), {
    person: ({ request }, item) => (request.subject.kind === 'tool' ? null : yes({ request, decisions: [] }, item)),
  });
  const { runtime, conversationId } = engine;
  const client = await lendTo(runtime, conversationId, { mcp: [passed()] });
  const { workflowId } = await engine.send('Work');
  const { approval } = await engine.event('approval-request', (one) => one.approval.subject.kind === 'tool');
  client.leave();
  const answer = { kind: 'allow' as const, confirmed: true as const };
  await runtime.request('approval.decide', { approvalId: approval.id, item: 0, answer });
  await engine.ended(workflowId);
  expect(results(engine)[0]).toMatchObject({ status: 'error', output: expect.stringContaining('has gone') as string });
});

test('an open approval request for a client server is closed when the client disconnects, and the lead goes on', async () => {
  const engine = await startEngine(using('think'), { person: () => null });
  const { runtime, conversationId } = engine;
  const client = await lendTo(runtime, conversationId, { mcp: [passed()] });
  const { workflowId } = await engine.send('Work');
  await eventually(() => expect(asked(engine)).toHaveLength(1));
  client.leave();
  expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed' });
  expect(engine.of('approval-decide')[0]?.decision).toMatchObject({ allowed: false, decidedBy: 'cancel' });
});

fullTest([
  'tests/core/mcp/lent-servers.test.ts › an approval applies only to the exact client server and folder, in any conversation to which it is passed',
  'tests/core/mcp/lent-servers.test.ts › a client server requires approval without showing values, and cannot replace a configured server',
])('a client server is limited to its conversation, and unusable servers are reported once', async () => {
  const engine = await startEngine(using('mcp__liar__work'), { settings: lyingTable(['tools=work']) });
  const { runtime, conversationId } = engine;
  const { id: other } = await runtime.request('conversation.create', {});
  const mine = passed({ name: 'My liar' });
  const [old, bad] = [
    { name: 'old', type: 'sse' as const, url: 'https://example.com/sse' },
    { name: 'bad', type: 'http' as const, url: 'no address' },
  ];
  await lendTo(runtime, conversationId, { mcp: [passed(), old, bad] });
  await lendTo(runtime, other, { mcp: [mine] });
  await engine.ask('Work');
  await engine.ask('Work');
  expect(asked(engine)).toEqual([]);
  expect(notices(engine)).toEqual([
    expect.stringContaining('yours of the same name is used') as string,
    expect.stringMatching(/"old".*SSE/) as string,
    expect.stringContaining('"bad"') as string,
  ]);
  // The person's own was called: it was given no token.
  expect(results(engine)[0]).toMatchObject({ status: 'completed', output: 'done' });
  expect(toolsOf(engine, 0).filter((name) => name.includes('My-liar'))).toEqual([]);
  const { workflowId } = await runtime.request('message.send', { conversationId: other, text: 'Work' });
  await eventually(async () => {
    const { workflow } = await runtime.request('workflow.get', { workflowId });
    expect(workflow.outcome).toBe('completed');
  });
  expect(engine.model.requests.some(({ body }) => JSON.stringify(body.tools).includes('mcp__My-liar__work'))).toBe(
    true,
  );
});

test('writing a workspace file that starts a client server requires approval, also after the client leaves', async () => {
  const script = () =>
    new Script()
      .on({ step: 1 })
      .reply([toolUse('write_file', { path: 'server.mjs', content: '//' })])
      .on({})
      .reply([text('Done.')]);
  const data = await folderWith({});
  const engine = await startEngine(script(), { settings: '[permissions]\nmode = "auto"\n', data });
  /** Writes that the person was asked about. */
  const writes = () => {
    const theirs = engine.of('approval-decide').filter(({ decision }) => decision.decidedBy === 'person');
    const about = engine.of('approval-request').filter(({ approval }) => approval.subject.kind === 'tool');
    return about.filter(({ approval: { id } }) => theirs.some(({ approvalId }) => approvalId === id));
  };
  if (inFullRun) {
    await engine.ask('Work');
    expect(writes()).toEqual([]);
  }
  const server = passed({ args: ['server.mjs'] });
  const client = await lendTo(engine.runtime, engine.conversationId, { mcp: [server] });
  await engine.ask('Work');
  client.leave();
  await engine.ask('Work');
  expect(writes()).toMatchObject([
    { approval: { description: expect.stringContaining('An MCP server is started from server.mjs') as string } },
    { approval: { risk: 'high' } },
  ]);
});

test('an approval applies only to the exact client server and folder, in any conversation to which it is passed', async () => {
  const lent = new LentServers({ data: null, end: () => Promise.resolve() });
  const server = { name: 'a', type: 'stdio' as const, command: 'c', args: ['x'], env: { A: '1' }, headers: {} };
  const passed = async (folder: string, more: Partial<typeof server> = {}) => {
    const conversationId = newId();
    lent.lend({ conversationId, folder }, [{ ...server, ...more }]);
    const [found] = await lent.of(conversationId);
    return found!;
  };
  const first = await passed('/a');
  expect([lent.isNews(first), lent.isNews(first)]).toEqual([true, false]);
  await lent.answered(first, true);
  expect([(await passed('/a')).state, (await passed('/b')).state]).toEqual(['usable', 'untrusted']);
  expect(await lent.of(newId()), 'in another conversation').toEqual([]);
  const others = [{ command: 'd' }, { args: [] }, { args: ['x', 'y'] }, { env: { A: '2' } }];
  for (const other of others)
    expect(await passed('/a', other), JSON.stringify(other)).toMatchObject({ state: 'untrusted' });
});
