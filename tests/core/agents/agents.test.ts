/** Agents' files in the engine: a change counts for the next workflow, permissions narrow what an agent gets, project agents need trust. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Harness, startEngine } from '../../support/engine.ts';
import { CHILD } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

const agent = (keys: string, prompt: string) => `---\nname: helper\ndescription: Helps\n${keys}---\n${prompt}\n`;
const delegation = (agent = 'helper') =>
  toolUse('delegate_task', { operation: 'delegate', agent_id: agent, prompt: 'Do it' });

/** The lead delegates twice, the second time when it is let to; what a child answers says which prompt it had. */
function delegatingTwice(held: Gate): Script {
  const script = new Script();
  for (const version of ['first', 'second', 'third'])
    script
      .on({
        ...CHILD,
        where: ({ system }) => system.startsWith(`You are the ${version}.\n\n# Environment\n`),
      })
      .reply([text(`# Report\n\nDone by the ${version}.`)]);
  return script
    .step([delegation()])
    .step([delegation()], { hold: held.at(0) })
    .step([text('That is all.')]);
}

async function save({ folder }: Harness, path: string, content: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

async function trustAll({ runtime, folder }: Harness): Promise<void> {
  const look = await runtime.request('trust.look', { folder });
  const files = look.files.flatMap(({ path, hash }) => (hash === null ? [] : [{ path, hash }]));
  await runtime.request('trust.set', { folder, files });
}

const results = (engine: Harness) =>
  engine
    .of('tool-end')
    .filter(({ entry, parentRunId }) => parentRunId === null && entry.name === 'delegate_task')
    .map(({ entry }) => entry.output);

test('a changed agent file applies to the next workflow; a running workflow keeps the earlier definition', async () => {
  const path = '.triad/agents/helper.md';
  const saved = new Gate();
  const engine = await start(delegatingTwice(saved), {
    files: { [path]: agent('', 'You are the first.') },
  });
  await trustAll(engine);
  const { workflowId } = await engine.send('Delegate twice');
  await engine.event('run-end', (event) => event.agent === 'helper');
  await save(engine, path, agent('', 'You are the second.'));
  await trustAll(engine);
  saved.open();
  await engine.ended(workflowId);
  const definitions = engine.of('run-queue').filter(({ kind }) => kind === 'delegate');
  expect(definitions.map(({ envelope }) => envelope.systemPrompt)).toEqual([
    'You are the first.',
    'You are the first.',
  ]);
  const next = await startSecond(engine);
  expect(next).toEqual(['You are the second.']);
});

/** Another message, whose lead delegates once; the system prompts that its sub-agents were queued with. */
async function startSecond(engine: Harness): Promise<string[]> {
  engine.model.script.step([delegation()]).step([text('Done.')]);
  const end = await engine.ask('Again');
  return engine
    .of('run-queue')
    .filter(({ kind, workflowId }) => kind === 'delegate' && workflowId === end.workflowId)
    .map(({ envelope }) => envelope.systemPrompt);
}

test('an agent of the project is unknown until it is trusted, and the sent message lists the untrusted file', async () => {
  const engine = await start(new Script().step([delegation()]).step([text('No.')]), {
    files: { '.triad/agents/helper.md': agent('', 'You are the first.') },
  });
  const sent = await engine.send('Delegate');
  expect(sent.untrusted).toEqual(['.triad/agents/helper.md']);
  await engine.ended(sent.workflowId);
  expect(results(engine)[0]).toContain('agent not found: "helper"');
  expect(engine.model.requests.at(0)?.seen.prompt).toBe('Delegate');
});

test('permissions restrict both named and inherited tools of an agent', async () => {
  const engine = await start(
    new Script()
      .on(CHILD)
      .reply([text('# Report\n\nDone.')])
      .step([delegation('inherits'), delegation('names'), delegation('writes')])
      .step([text('Done.')]),
    {
      files: {
        '.triad/agents/a.md': '---\nname: inherits\ndescription: d\npermissions: [FilesystemRead]\n---\nP',
        '.triad/agents/b.md': '---\nname: names\ndescription: d\ntools: [grep, write_file]\npermissions: []\n---\nP',
        '.triad/agents/c.md': '---\nname: writes\ndescription: d\npermissions: [FilesystemWrite]\n---\nP',
      },
    },
  );
  await trustAll(engine);
  await engine.ask('Delegate');
  const given = new Map(engine.of('run-queue').map(({ agent, envelope }) => [agent, envelope]));
  expect(given.get('inherits')?.tools).not.toContain('write_file');
  expect(given.get('inherits')?.tools).toContain('memory');
  expect(given.get('inherits')?.permissions).toEqual(['FilesystemRead', 'SemanticSearch']);
  expect(given.get('names')?.tools).toContain('grep');
  expect(given.get('names')?.tools).not.toContain('write_file');
  expect(given.get('writes')?.tools).toContain('write_file');
});

test('rejects a delegation if the agent needs a permission that the lead lacks, and lists those of the lead', async () => {
  const engine = await start(new Script().step([delegation()]).step([text('No.')]), {
    files: {
      '.triad/agents/lead.md': '---\nname: lead\ndescription: d\nrole: primary\npermissions: [FilesystemRead]\n---\nP',
      '.triad/agents/helper.md': agent('permissions: [FilesystemRead, FilesystemWrite]\n', 'P'),
    },
  });
  await trustAll(engine);
  const end = await engine.ask('Delegate');
  expect(end.subAgents).toEqual([]);
  expect(results(engine)[0]).toContain(
    'helper asks for permissions that it cannot have: FilesystemWrite. The lead has: FilesystemRead, SemanticSearch',
  );
});

test('a call cannot give an agent more than its own permissions', async () => {
  const call = toolUse('spawn_agent', {
    operation: 'spawn',
    name: 'h',
    agent: 'helper',
    prompt: 'Do it',
    tools: ['grep', 'write_file'],
  });
  const engine = await start(new Script().step([call]).step([text('No.')]), {
    files: { '.triad/agents/helper.md': agent('permissions: [FilesystemRead]\n', 'P') },
  });
  await trustAll(engine);
  await engine.ask('Spawn');
  const [end] = engine.of('tool-end');
  expect(end?.entry.output).toContain('h asks for tools that it cannot have: write_file. Its permissions can give:');
});

test('a lead of a project can lead once it is trusted, with the tools that its permissions allow', async () => {
  const engine = await start(new Script().step([text('Hello.')]), {
    files: {
      '.triad/agents/boss.md':
        '---\nname: boss\ndescription: d\nrole: primary\npermissions: [FilesystemRead]\n---\nYou lead.',
    },
  });
  const { runtime, folder } = engine;
  const create = () => runtime.request('conversation.create', { folder, agent: 'boss' });
  await expect(create()).rejects.toThrow('files of this folder are not trusted: see "triad trust"');
  await trustAll(engine);
  const { id: conversationId } = await create();
  const { runId } = await runtime.request('message.send', { conversationId, text: 'Hi' });
  const run = await runtime.request('run.get', { runId });
  expect(run.envelope.tools).toContain('spawn_agent');
  expect(run.envelope.tools).not.toContain('write_file');
});

test('rejects trust for a file that changed after it was displayed', async () => {
  const engine = await startEngine(new Script(), {
    files: { '.triad/agents/helper.md': agent('', 'One.') },
  });
  const { runtime, folder } = engine;
  const { files } = await runtime.request('trust.look', { folder });
  expect(files).toMatchObject([{ state: 'new', says: expect.stringContaining('agent helper') as string }]);
  await save(engine, '.triad/agents/helper.md', agent('', 'Two.'));
  const shown = files.map(({ path, hash }) => ({ path, hash: hash ?? '' }));
  await expect(runtime.request('trust.set', { folder, files: shown })).rejects.toMatchObject({
    code: 'conflict',
    message: '.triad/agents/helper.md is not what was looked at any more: look again',
  });
  expect(await runtime.request('trust.list', {})).toEqual([]);
});

test('another primary agent never replaces the default lead; a nested agent file of another program can be read', async () => {
  const nested = '.claude/agents/team/review/nested.md';
  const primary = (name: string) => `---\nname: ${name}\ndescription: Leads\nrole: primary\n---\nYou are ${name}.\n`;
  const script = new Script().on({ system: /You are boss/ }).reply([text('The boss.')]);
  const engine = await start(script.on({}).reply([text('The lead.')]), {
    files: { '.triad/agents/boss.md': primary('boss'), [nested]: '---\nname: nested\n---\nYou look.\n' },
  });
  await trustAll(engine);
  const { runtime, folder } = engine;
  expect((await engine.ask('Go')).text).toBe('The lead.');
  expect((await runtime.request('conversation.create', { folder })).agent).toBe('lead');
  expect((await runtime.request('conversation.create', { folder, agent: 'boss' })).agent).toBe('boss');

  const listed = (await runtime.request('agents.files', { folder })).find(({ name }) => name === 'nested');
  expect(listed).toMatchObject({ file: join(folder, nested), state: 'usable', dialect: 'claude' });
  const { file } = listed!;
  const opened = await runtime.request('agents.read', { folder, file });
  expect(opened).toMatchObject({ file, text: '---\nname: nested\n---\nYou look.\n' });
  expect(opened.readOnly).toContain('another program');
  expect((await runtime.request('agents.lint', { folder, file, text: opened.text })).report.ok).toBe(true);
  const copy = { folder, name: 'mine', source: 'project', copyOf: file } as const;
  expect((await runtime.request('agents.draft', copy)).text).toContain('You look.');
});
