/** The Markdown files of sessions, written behind the real engine: what is in them, where they are, and that they can be made again. */
import { mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STATUS_OF } from '#domain/status-of.ts';
import { inputTokensOf } from '#domain/tally.ts';
import { type Harness, startEngine } from '../../../support/engine.ts';
import { CHILD, LEAD, plainAnswer, spawn, spawnOne, threeChildren } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { Gate } from '../../../support/gate.ts';
import { fieldsOf, filesBelow, linksOf } from '../../../support/session-files.ts';
import { folderWith } from '../../../support/workspace.ts';

interface Metadata {
  status: string;
  workflows: { outcome: string | null }[];
  sub_agents: { file: string; run_id: string }[];
  totals: { tokens: number };
  max_queue_depth: number;
  execution_trace: {
    trace_id: string;
    model: string;
    model_origin?: string;
    parent_trace_id: string | null;
    agent_name: string;
    parent_chain: string[];
    approvals: { allowed: boolean; decided_by: string; run_id: string }[];
  }[];
}

/** Once the file that is written last says that so many workflows have ended, and nothing is left to write. */
async function written(sessions: string, count = 1): Promise<Record<string, string>> {
  let files: Record<string, string> = {};
  await expect
    .poll(async () => {
      const behind = await readdir(join(sessions, '../sessions-behind'));
      files = await filesBelow(sessions);
      if (behind.length > 0) return 'not yet';
      const { workflows = [] } = JSON.parse(named(files, '/metadata.json') || '{}') as Partial<Metadata>;
      return workflows.filter(({ outcome }) => outcome !== null).length;
    })
    .toBe(count);
  return files;
}

const named = (files: Record<string, string>, end: string): string =>
  Object.entries(files).find(([name]) => name.endsWith(end))?.[1] ?? '';

const project = ({ runtime, conversationId }: Harness) => runtime.request('conversation.project', { conversationId });

/** Writes the files of the session and returns that of a sub-agent. */
async function agentFileIn(engine: Harness, agent: string): Promise<string> {
  const { folder } = await project(engine);
  const [, content] = Object.entries(await filesBelow(folder)).find(([name]) => name.startsWith(`${agent}-`)) ?? [];
  return content ?? '';
}

test('writes session files into a data folder that is the .triad folder of the project', async () => {
  const folder = await folderWith({ '.triad/README.md': '' });
  const configFolder = await folderWith({});
  const { runtime } = await startEngine(plainAnswer(), { data: join(folder, '.triad'), configFolder });
  for (const value of [true, false]) {
    await runtime.request('settings.set', { path: 'sessions.project', value });
    const { id: conversationId } = await runtime.request('conversation.create', { folder });
    await runtime.request('message.send', { conversationId, text: 'Go' });
    const { folder: session } = await runtime.request('conversation.project', { conversationId });
    expect(await readdir(session)).toEqual(['metadata.json', 'session.md']);
  }
});

test('writes a session folder with one file for each sub-agent, links in both directions and all totals', async () => {
  const data = await folderWith({});
  const engine = await startEngine(threeChildren(), { data });
  const end = await engine.ask('Look at *all* parts: "now"');
  const files = await written(join(data, 'sessions'));
  const [folder = ''] = await readdir(join(data, 'sessions'));
  expect(folder).toMatch(/^\d{4}-\d\d-\d\d-look-at-all-parts-now-[0-9a-f]{12}$/);
  expect(Object.keys(files)).toHaveLength(5);
  const { runtime, conversationId } = engine;
  const place = { folder: join(data, 'sessions', folder), opens: false };
  expect(await runtime.request('conversation.folder', { conversationId, open: true })).toEqual(place);

  const session = fieldsOf(named(files, '/session.md'));
  expect(session).toMatchObject({
    session_id: engine.conversationId,
    title: 'Look at *all* parts: "now"',
    primary_agent: 'lead',
    status: 'completed',
    outcome: 'completed',
    model: 'claude-sonnet-5-5',
  });
  const page = named(files, '/session.md');
  expect(page).toContain('### Query\n\n> Look at *all* parts: "now"\n');
  expect(page).toContain('> I split this into three parts.\n\n- [[');
  expect(page).toContain(`### Answer\n\n> ${end.text.split('\n')[0]}`);

  const metadata = JSON.parse(named(files, '/metadata.json')) as Metadata;
  const { runs } = await engine.runtime.request('workflow.get', { workflowId: end.workflowId });
  const total = runs.reduce(
    (sum, { usage: u }) => sum + u.inputTokens + u.cacheReadTokens + u.cacheWriteTokens + u.outputTokens,
    0,
  );
  expect(metadata).toMatchObject({ status: 'completed', totals: { tokens: total } });
  expect(metadata.max_queue_depth).toBe(0);
  const [lead, ...others] = metadata.execution_trace;
  expect(lead?.approvals.map(({ decided_by }) => decided_by)).toEqual(['person', 'person', 'person']);
  expect(new Set(metadata.execution_trace.map(({ trace_id }) => trace_id)).size).toBe(4);
  for (const child of others) {
    expect(child.model).toBe('claude-sonnet-5-5');
    expect(child.parent_trace_id).toBe(lead?.trace_id);
    expect(child.parent_chain).toEqual(['user', 'lead', child.agent_name]);
  }

  for (const { file, run_id } of metadata.sub_agents) {
    const agent = files[`${folder}/${file}`] ?? '';
    const run = runs.find(({ id }) => id === run_id);
    expect(fieldsOf(agent)).toMatchObject({
      subagent_of: `[[${folder}/session]]`,
      agent_name: run?.agent,
      model: 'claude-sonnet-5-5',
      spawned_at: run?.queuedAt,
      completed_at: run?.endedAt,
      tokens: inputTokensOf(run!.usage) + run!.usage.outputTokens,
      status: STATUS_OF.completed,
      trace_id: run?.traceId,
      permissions: run?.envelope.permissions,
      outcome: 'completed',
    });
    expect(agent).toContain(`## Task\n\n> ${run?.task}\n`);
    expect(agent).toContain('## Findings\n\n> # Report: part');
    expect(linksOf(agent)).toEqual([`${folder}/session.md`, `${folder}/session.md`]);
    expect(linksOf(page).filter((link) => link === `${folder}/${file}`)).toHaveLength(2);
  }
  for (const [name, content] of Object.entries(files))
    for (const link of linksOf(name.endsWith('.md') ? content : '')) expect(Object.keys(files)).toContain(link);
});

test('writes the folder with session.md and metadata.json when the first workflow starts', async () => {
  const data = await folderWith({});
  const held = new Gate();
  const script = new Script().on({}).reply([text('Done.')], { hold: held.at(0) });
  const engine = await startEngine(script, { data });
  const { workflowId } = await engine.send('Work: long');
  await held.reached;
  const status = async () => {
    const files = await filesBelow(join(data, 'sessions'));
    const { status: figures } = JSON.parse(named(files, '/metadata.json') || '{}') as Partial<Metadata>;
    return [fieldsOf(named(files, '/session.md') || '---\n---\n')['status'], figures];
  };
  await expect.poll(status).toEqual(['running', 'running']);
  held.open();
  await engine.ended(workflowId);
});

test('recreates identical session files from the store and keeps foreign files in the folder', async () => {
  const data = await folderWith({});
  const sessions = join(data, 'sessions');
  const engine = await startEngine(spawnOne(), { data });
  await engine.ask('First');
  await engine.ask('Second');
  const live = await written(sessions, 2);
  expect(Object.keys(live)).toHaveLength(4);
  await rm(sessions, { recursive: true });
  const { folder, files } = await project(engine);
  expect(files).toBe(4);
  expect(await filesBelow(sessions)).toEqual(live);
  expect(folder).toBe(join(sessions, Object.keys(live)[0]?.split('/')[0] ?? ''));
  // Also over what somebody has changed; a note of one's own stays.
  await writeFile(join(folder, 'session.md'), 'changed');
  await writeFile(join(folder, 'my note.md'), 'mine');
  await project(engine);
  expect(await filesBelow(folder)).toEqual({
    ...Object.fromEntries(Object.entries(live).map(([name, content]) => [name.split('/')[1], content])),
    'my note.md': 'mine',
  });
});

test('later work does not rewrite the page of an ended sub-agent', async () => {
  const data = await folderWith({});
  const sessions = join(data, 'sessions');
  const engine = await startEngine(spawnOne(), { data });
  await engine.ask('First');
  const [page = ''] = Object.keys(await written(sessions, 1)).filter((file) => !/session\.md|metadata/.test(file));
  const before = await stat(join(sessions, page));
  await engine.ask('Second');
  await written(sessions, 2);
  await project(engine);
  const { ino, mtimeMs } = await stat(join(sessions, page));
  expect({ ino, mtimeMs }).toEqual({ ino: before.ino, mtimeMs: before.mtimeMs });
});

test('records each model with its origin: the default, the model of the lead or the override of a spawn', async () => {
  const data = await folderWith({});
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn({ name: 'small', prompt: 'Try.', model: 'haiku' }), spawn({ name: 'same', prompt: 'Try.' })])
    .on(CHILD)
    .reply([text('Done.')])
    .on({})
    .reply([text('It is done.')]);
  const engine = await startEngine(script, { data });
  await engine.ask('Go');
  expect(fieldsOf(await agentFileIn(engine, 'small'))).toMatchObject({ model_origin: 'override' });
  expect(fieldsOf(await agentFileIn(engine, 'same'))).toMatchObject({ model_origin: 'lead' });
  const files = await filesBelow(join(data, 'sessions'));
  expect(fieldsOf(named(files, '/session.md'))).toMatchObject({ model_origin: 'default' });
  const metadata = JSON.parse(named(files, '/metadata.json')) as Metadata & { primary_model_origin: string };
  expect(metadata.primary_model_origin).toBe('default');
  expect(metadata.execution_trace.map(({ agent_name, model_origin }) => [agent_name, model_origin])).toEqual([
    ['lead', 'default'],
    ['small', 'override'],
    ['same', 'lead'],
  ]);
});

test('the page of a failed sub-agent lists its error, what was attempted and the agents above', async () => {
  const data = await folderWith({});
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([toolUse('spawn_agent', { operation: 'spawn', name: 'broken', prompt: 'Try.', reason: 'try it out' })])
    .on(CHILD)
    .reply([], { status: 400 })
    .on({})
    .reply([text('It failed.')]);
  const engine = await startEngine(script, { data });
  await engine.ask('Go');
  const agent = await agentFileIn(engine, 'broken');
  const [run] = engine.of('run-end').filter(({ parentRunId }) => parentRunId !== null);
  expect(fieldsOf(agent)).toMatchObject({
    status: 'error',
    outcome: 'error',
    error_type: run?.error?.code,
    error_message: run?.error?.message,
    parent_chain: ['user', 'lead', 'broken'],
  });
  // The same stands in the end of the run, for whoever reads events.
  expect(run?.origin).toEqual({
    traceId: run?.runId.replaceAll('-', ''),
    parentChain: ['user', 'lead', 'broken'],
    attempted: 'spawn: try it out',
  });
  expect(agent).toMatch(
    /## Error\n\n`bad_request`: .*\n\n- Agent: `broken`, below `user → lead`\n- Attempted: spawn “try it out”/,
  );
});

test('the page of a sub-agent shows the recommendations of its report in a section after the findings', async () => {
  const data = await folderWith({});
  const report = '# Report\n\nIt works.\n\n## Recommendations\n\n- Add a test.\n';
  const call = toolUse('spawn_agent', { operation: 'spawn', name: 'adviser', prompt: 'Advise.' });
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([call])
    .on(CHILD)
    .reply([text(report)]);
  const engine = await startEngine(script.on({}).reply([text('Done.')]), { data });
  await engine.ask('Go');
  const agent = await agentFileIn(engine, 'adviser');
  expect(agent).toContain('\n\n## Findings\n\n> # Report\n>\n> It works.\n\n## Recommendations\n\n> - Add a test.\n');
});

test('moving a session to the trash removes its files, restoring recreates them and purging leaves none', async () => {
  const data = await folderWith({});
  const sessions = join(data, 'sessions');
  const engine = await startEngine(spawnOne(), { data });
  await engine.ask('Go');
  const live = await written(sessions);
  const { conversationId } = engine;
  await engine.runtime.request('conversation.delete', { conversationId });
  expect(await readdir(sessions)).toEqual([]);
  await expect(project(engine)).rejects.toMatchObject({ code: 'conflict' });
  await engine.runtime.request('conversation.restore', { conversationId });
  expect(await filesBelow(sessions)).toEqual(live);
  await engine.runtime.request('trash.fill', { olderThanDays: 0 });
  expect(await readdir(sessions)).toEqual([]);
  // As if they could not be removed then: the purge does it.
  const [file = ''] = Object.keys(live);
  const folder = join(sessions, file.split('/')[0] ?? '');
  await mkdir(folder);
  await writeFile(join(folder, 'session.md'), 'left');
  await engine.runtime.request('conversation.purge', { conversationId });
  expect(await readdir(sessions)).toEqual([]);
});

test('shows one notice if session files cannot be written, and the workflow and its history are complete', async () => {
  const data = await folderWith({ sessions: 'a file is in the way' });
  const engine = await startEngine(plainAnswer(), { data });
  const end = await engine.ask('Go');
  const told = () => engine.of('notice').filter(({ text: words }) => words.includes('Markdown'));
  await expect.poll(() => told().length).toBe(1);
  await engine.ask('Again');
  await engine.ask('And again');
  expect(end.outcome).toBe('completed');
  expect(told()).toHaveLength(1);
  expect(told()[0]?.text).toContain(`triad sessions project ${engine.conversationId}`);
  expect(engine.durable()).toMatchObject(await engine.store.events(engine.conversationId, 1, 1000));
  const [sessions, movedFolder] = [join(data, 'sessions'), join(data, 'moved')];
  await rename(sessions, movedFolder);
  expect((await project(engine)).files).toBe(2);
  // After a success the next failure is reported again.
  await engine.ask('It works');
  await expect.poll(async () => JSON.stringify(await filesBelow(sessions))).toContain('It works');
  await project(engine);
  await rename(sessions, join(data, 'written'));
  await rename(movedFolder, sessions);
  await engine.ask('It fails');
  await expect.poll(() => told().length).toBe(2);
});

test('writes no session files through a .triad link that leads out of the project', async () => {
  const [data, elsewhere] = [await folderWith({}), await folderWith({})];
  const engine = await startEngine(plainAnswer(), { data, settings: '[sessions]\nproject = true\n' });
  await symlink(elsewhere, join(engine.folder, '.triad'));
  await engine.ask('Go');
  await expect
    .poll(() => engine.of('notice').map(({ text: words }) => words))
    .toEqual([expect.stringContaining('leads to another place') as string]);
  await expect(project(engine)).rejects.toMatchObject({ code: 'not_allowed' });
  expect(await filesBelow(elsewhere)).toEqual({});
});

test('writes pending session files before the program ends', async () => {
  const data = await folderWith({});
  const engine = await startEngine(plainAnswer(), { data });
  await engine.ask('Go');
  await engine.runtime.close();
  expect(fieldsOf(named(await filesBelow(join(data, 'sessions')), '/session.md'))).toMatchObject({
    status: 'completed',
  });
});
