/** The demo: four messages that lead through the real engine with facts from the folder, offline and labelled. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Envelope } from '#contract/agent.ts';
import { factOf } from '#core/model/demo-facts.ts';
import type { DoneCall } from '#core/model/demo-scene.ts';
import { ENGLISH } from '#core/model/demo-words.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import type { Person } from '../../support/compose.ts';
import { type Harness, type HarnessOptions, outcomes, startEngine, yes } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { Script } from '../../support/fake-model/script.ts';
import { fullTest } from '../../support/samples.ts';
import { folderWith } from '../../support/workspace.ts';

const FILES = {
  'README.md': '# Apples and pears\n\nSee https://example.com for more.\n',
  'notes/plan.md': '# Plan\n\nTODO: buy pears\n',
  'src/apple.js': 'export const apple = 1; // FIXME: two\n',
  'src/apple.test.js': 'import "./apple.js";\n',
};

type Ended = Awaited<ReturnType<Harness['ask']>>;

const demo = async (options: HarnessOptions = {}): Promise<Harness> =>
  startEngine(new Script(), {
    // Not in the workspace, whose files are counted.
    configFolder: await folderWith({}),
    settings: '[providers]\nactive = "demo"\n',
    files: FILES,
    environment: { apiKey: undefined, baseUrl: undefined },
    ...options,
  });

const rejecting =
  (reason: string): Person =>
  () => ({ kind: 'reject', reason });

test('five messages show every kind of sub-agent with facts from the tools, marked as a demo and free of charge', async () => {
  const engine = await demo();
  const first = await engine.ask('What is this?');
  expect(outcomes(first)).toEqual(['completed', 'completed']);
  expectCounted(engine, first);
  expect(first.subAgents[0]).toMatchObject({ agent: 'file-counter', kind: 'spawn' });
  expect(first.text).toContain('2 folders and 1 file: `notes/`, `src/`, `README.md`');
  expect(first.text).toContain('4 files match `**/*`, by ending: 2 `.js`, 2 `.md`');
  expect(first.text).toContain(
    `\`README.md\` has 3 lines, ${FILES['README.md'].length} bytes; its first heading is “Apples and pears”`,
  );

  const second = await engine.ask('And then?');
  expect(second.subAgents[0]).toMatchObject({
    agent: 'code-reviewer',
    kind: 'delegate',
    outcome: 'completed',
  });
  expect(second.text).toContain('2 lines match `TODO|FIXME`, in 2 files: `notes/plan.md:3`, `src/apple.js:1`');

  const third = await engine.ask('Go on');
  expect(outcomes(third)).toEqual(['completed', 'completed', 'completed', 'completed']);
  expect(new Set(third.subAgents.map(({ kind }) => kind))).toEqual(new Set(['parallel']));
  expect(third.text).toContain('2 files match `**/*.md`');
  expect(third.text).toContain('1 file matches `**/*test*`: `src/apple.test.js`');
  expect(third.text).toContain('1 line matches `https?://`, in 1 file: `README.md:3`');
  expectLabelled(engine);
  await expectUndoable(engine, third.text);

  const fourth = await engine.ask('And a report?');
  await expectReport(engine, fourth);

  const fifth = await engine.ask('More?');
  expect(fifth.subAgents).toEqual([]);
  expect(fifth.text).toContain('paste an Anthropic key');
  for (const { text } of [first, second, third, fourth, fifth]) expect(text).toContain('scripted');
  expect(engine.model.requests, 'nothing was sent anywhere').toEqual([]);
});

/** One question for three agents in a row: facts as JSON, a report from them, and a check that opens its sources. */
async function expectReport(engine: Harness, { text, subAgents, workflowId }: Ended): Promise<void> {
  const chain = [
    ['fact-finder', 'delegate', 'completed'],
    ['report-writer', 'chain', 'completed'],
    ['report-checker', 'chain', 'completed'],
  ];
  expect(subAgents.map(({ agent, kind, outcome }) => [agent, kind, outcome])).toEqual(chain);
  const asked = engine.of('approval-request').filter((event) => event.workflowId === workflowId);
  const stages = asked.flatMap(({ approval: { subject } }) =>
    subject.kind === 'envelopes' ? subject.items.map(({ envelope }) => envelope.stages.map(({ agent }) => agent)) : [],
  );
  expect(stages, 'one question, with all stages').toEqual([['report-writer', 'report-checker']]);
  const calls = (agent: string) =>
    engine
      .of('tool-start')
      .flatMap((event) => (event.workflowId === workflowId && event.agent === agent ? [event] : []));
  expect(calls('fact-finder').map(({ name }) => name)).toEqual(['glob', 'grep', 'read_file']);
  expect(calls('report-writer').map(({ input }) => input)).toEqual([{ path: expect.any(String) as string }]);
  expect(calls('report-checker').length, 'it opens the sources').toBeGreaterThan(1);
  const [first] = subAgents;
  const facts = engine.of('run-end').find(({ runId }) => runId === first?.runId)?.text ?? '';
  expect(JSON.parse(facts)).toMatchObject({
    question: 'What is in this folder, and what was left to do in it?',
    facts: expect.arrayContaining([{ fact: 'Line 3 says “TODO: buy pears”.', source: 'notes/plan.md:3' }]) as object[],
  });
  expect(text).toContain('`fact-finder` → `report-writer` → `report-checker`');
  expect(text).toContain('- Line 1 says “export const apple = 1; // FIXME: two”. [src/apple.js:1]');
  expect(text).toMatch(/its first heading is “Apples and pears”\. \[README\.md\]/);
  expect(text).toMatch(/## Checked\n\n3 statements of \d checked, 3 held\./);
}

/** The file that the lead wrote after a yes: named with the way to undo it, and gone after that. */
async function expectUndoable({ folder, runtime, conversationId }: Harness, text: string): Promise<void> {
  expect(text).toContain('`triad changes --undo RUN`');
  const file = join(folder, 'triad-demo.md');
  expect(await readFile(file, 'utf8')).toContain('2 files match `**/*.md`');
  const [{ runId = '', files = [] } = {}] = await runtime.request('change.list', { conversationId });
  expect(files).toMatchObject([{ path: 'triad-demo.md', before: null, state: 'done' }]);
  await runtime.request('change.undo', { conversationId, target: { runId } });
  await expect(readFile(file)).rejects.toThrow('ENOENT');
}

/** Its envelopes name the demo, and of the agents only the lead has a tool that writes. */
function expectLabelled(engine: Harness): void {
  const envelopes = engine.of('run-start').map(({ envelope }) => envelope);
  expect(envelopes).toHaveLength(3 + 5);
  const writes = ({ permissions, tools }: Envelope): boolean =>
    tools.includes('write_file') || permissions.some((permission) => permission.endsWith('Write'));
  expect(envelopes.filter(writes).map(({ agent }) => agent)).toEqual(['lead', 'lead', 'lead']);
  expect(envelopes.filter(({ tools }) => tools.includes('edit_file') || tools.includes('bash'))).toEqual([]);
  expect(new Set(envelopes.map(({ provider, model }) => `${provider}/${model}`))).toEqual(new Set(['demo/demo']));
  expect(engine.of('notice').map(({ text }) => text)).toEqual(
    Array.from({ length: 3 }, () => 'Demo: the answers are scripted, no model is asked'),
  );
}

/** Its usage is counted and costs nothing, by a price that says demo. */
function expectCounted(engine: Harness, end: Ended): void {
  const requests = engine.of('usage').map(({ request }) => request);
  expect(requests.length).toBeGreaterThan(4);
  for (const request of requests) {
    expect(request).toMatchObject({ provider: 'demo', model: 'demo', nanoUsd: 0, priceVersion: 'demo' });
    expect(request.inputTokens).toBeGreaterThan(100);
    expect(request.outputTokens).toBeGreaterThan(5);
  }
  expect(end.usage.costUsd).toBe(0);
  expect(end.usage.outputTokens).toBe(requests.reduce((sum, { outputTokens }) => sum + outputTokens, 0));
}

test('a rejection is respected, and the answer quotes its reason', async () => {
  const engine = await demo({ person: rejecting('not today') });
  const first = await engine.ask('What is this?');
  expect(outcomes(first)).toEqual(['completed', 'rejected']);
  expect(first.text).toContain('You said no: “not today”');
  expect((await engine.ask('Then?')).subAgents[0]?.kind, 'the next act is not held up').toBe('delegate');
  const third = await engine.ask('And now?');
  expect(third.text.match(/You said no: “not today”/g)).toHaveLength(3);
});

test('an edited prompt changes what the sub-agent searches for', async () => {
  const edit: Person = ({ request: { subject } }, item) => {
    const asked = subject.kind === 'envelopes' ? subject.items[item]?.envelope : undefined;
    return { kind: 'edit', value: { ...asked, prompt: 'Look for: `pears`' } };
  };
  const engine = await demo({ person: edit });
  const { text } = await engine.ask('What is this?');
  expect(text).toContain('2 lines match `pears`, in 2 files: `README.md:1`, `notes/plan.md:3`');
});

test('the demo answers in the language of the client that sent the message', async () => {
  const engine = await demo({ person: rejecting('pas encore') });
  const { conversationId, folder } = engine;
  const other = await engine.runtime.request('conversation.create', { folder });
  // Another window, in which another language is spoken, writes at the same time.
  const [{ workflowId }, sent] = await Promise.all([
    engine.runtime.request('message.send', { conversationId, text: 'Et ?', language: 'fr' }),
    engine.runtime.request('message.send', { conversationId: other.id, text: 'And?' }),
  ]);
  await engine.runtime.request('workflow.stop', { workflowId: sent.workflowId });
  const { text } = await engine.ended(workflowId);
  expect(text).toContain('Vous avez dit non\u202f: «\u202fpas encore\u202f».');
  expect(engine.of('approval-request')[0]?.approval.title).toContain('Compter les fichiers du dossier');
});

test('a demo closed while an approval is open continues after a resume', async () => {
  const store = await memoryStore();
  const closed = await demo({ store: lasting(store), person: () => null });
  const { workflowId } = await closed.send('What is here?');
  await closed.event('approval-request');
  await closed.runtime.close();
  const { runtime } = await demo({ store });
  await runtime.request('workflow.resume', { workflowId });
  await eventually(async () =>
    expect(await store.workflow(workflowId)).toMatchObject({
      status: 'completed',
      subAgentCount: 1,
      text: expect.stringContaining('4 files match `**/*`') as string,
    }),
  );
});

test('the answer reports an empty folder and a limit that prevents sub-agents', async () => {
  const engine = await demo({
    settings: '[providers]\nactive = "demo"\n[limits]\nmax_sub_agents = 1\n',
    files: {},
    person: yes,
  });
  const first = await engine.ask('One');
  expect(first.text).toContain('The folder is empty.');
  expect(first.text).toContain('No file matches `**/*`.');
  await engine.ask('Two');
  const third = await engine.ask('Three');
  expect(outcomes(third), 'the batch has too many').toEqual(['completed']);
  expect(third.text).toMatch(/That did not work: .*1/);
});

test('a stop cancels the demo while an approval is open', async () => {
  const engine = await demo({ person: () => null });
  const { workflowId } = await engine.send('What is this?');
  await engine.event('approval-request');
  await engine.runtime.request('workflow.stop', { workflowId });
  expect((await engine.ended(workflowId)).outcome).toBe('cancelled');
});

test('a fact about a shortened list or file gives the whole size', () => {
  const describeCall = (name: string, output: string, target: string) =>
    factOf({ name, output, isError: false } as DoneCall, target, ENGLISH);
  const paths = 'a.txt\nb.txt\n';
  expect(describeCall('list_directory', `${paths}[The first 2 of 1101 entries.]`, '.')).toContain('1,101 entries');
  expect(describeCall('glob', `${paths}[The first 2 of 1101 files.]`, '**/*')).toContain(
    '1,101 files match `**/*`, by ending of the first 2',
  );
  expect(describeCall('grep', 'a.txt:1:TODO\n[The first 1 matches; there are more.]', 'TODO')).toMatch(
    /^More than 1 line/,
  );
  expect(describeCall('read_file', 'line\n\n[Lines 1 to 5000 of a file of 30000 bytes. Go on.]', 'a')).toContain(
    'more than 5,000 lines, 30,000 bytes',
  );
});

fullTest('tests/core/workflows/demo.test.ts › a fact about a shortened list or file gives the whole size')(
  'the facts about a large folder give totals, or say that there are more than the results show',
  async () => {
    const many = Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`f${index}.txt`, 'TODO\n']));
    const engine = await demo({ files: { ...many, 'README.md': 'line\n'.repeat(6000) } });
    const { text } = await engine.ask('What is this?');
    expect(text).toContain('The folder holds 1,101 entries.');
    expect(text).toContain('1,101 files match `**/*`, by ending of the first 1000');
    expect(text).toContain('`README.md` has more than 5,000 lines, 30,000 bytes');
    expect((await engine.ask('Then?')).text).toMatch(/More than \d+ lines match `TODO\|FIXME`/);
  },
);

test('the reviewing coagent sends the first answer back once for a missing part and approves the second', async () => {
  const engine = await demo({ lead: 'BUILD-JUDGE' });
  const { text, outcome, subAgents } = await engine.ask('What is this?');
  expect({ outcome, agents: subAgents.map(({ agent }) => agent) }, 'and nothing is done twice').toEqual({
    outcome: 'completed',
    agents: ['file-counter'],
  });
  const backs = engine.of('handoff').flatMap(({ entry: { back } }) => (back ? [back.review?.verdict] : []));
  expect(backs.map((verdict) => [verdict?.passed, verdict?.score])).toEqual([
    [false, 60],
    [true, 95],
  ]);
  expect(backs[0]?.critique).toContain('Say which folders you have not opened yourself: 2 folders are here');
  expect(text).toContain('Not opened by me: `notes/`, `src/`.');
});

test('in a loop the lead completes the work itself with its last answer', async () => {
  const engine = await demo({ lead: 'BUILD-LOOP' });
  const { text, outcome, subAgents } = await engine.ask('What is this?');
  expect({ outcome, started: subAgents.length }).toEqual({ outcome: 'completed', started: 1 });
  expect(engine.of('handoff')).toHaveLength(2);
  expect(engine.of('tool-start').at(-1)).toMatchObject({ name: 'task_complete', input: { summary: text } });
  expect(text).toContain('4 files match `**/*`');
});
