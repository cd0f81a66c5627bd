/** Coagents and stages in the files that people keep: each has its page, below what it serves, with links both ways. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { exportConversation } from '#core/host/records/export/export.ts';
import { handoffsOf } from '#core/host/records/sessions/handoffs-part.ts';
import { agentFileOf } from '#core/host/records/sessions/names.ts';
import { SessionProjector } from '#core/host/records/sessions/projector.ts';
import { foldSupersededAnswer } from '#core/host/records/sessions/reviews-part.ts';
import type { Harness } from '../../../../support/engine.ts';
import { memoryStore } from '../../../../support/stores/pooled.ts';
import { conversationId, conversationRow, idOf } from '../../../../support/recording.ts';
import { answerEntry, reviewedAnswer } from '../../../../support/flows/answers.ts';
import { recordedServing, served } from '../../../../support/flows/served.ts';
import { fieldsOf, filesBelow, linksOf } from '../../../../support/session-files.ts';
import { eventItems } from '../../../../support/commit-items.ts';

const { writer, editor, checker, proofreader, critics } = served;
const fileOf = ({ runId, agent }: typeof writer) => agentFileOf({ id: runId, agent });
const at = '2026-01-01T00:00:00.000Z';
const ways = { kind: 'handoff', from: 'lead', to: 'critic', rounds: 3 } as const;
const data = mkdtempSync(path.join(tmpdir(), 'triad-serving-'));
let store: Harness['store'];
let name: string;
let files: Readonly<Record<string, string>>;
const page = (who: typeof writer) => files[fileOf(who)] ?? '';

beforeAll(async () => {
  store = await memoryStore();
  const { durable } = recordedServing();
  await store.commit([{ table: 'conversation', key: conversationId, row: { ...conversationRow() } }]);
  await store.commit(eventItems(durable));
  const settings = { sessions: { project: false } };
  const projector = new SessionProjector({ store, data, settings, version: '1', onFailure: () => undefined });
  const { folder } = await projector.rebuild(conversationId);
  name = path.basename(folder);
  files = await filesBelow(folder);
});
afterAll(async () => {
  await store.close();
  await rm(data, { recursive: true, force: true });
});

test('writes identical files from observed events, without reading entries from the store', async () => {
  const other = mkdtempSync(path.join(tmpdir(), 'triad-serving-'));
  onTestFinished(() => rm(other, { recursive: true, force: true }));
  const read = vi.spyOn(store, 'recordsOf');
  const settings = { sessions: { project: false } };
  const projector = new SessionProjector({ store, data: other, settings, version: '1', onFailure: () => undefined });
  for (const event of recordedServing().durable) projector.observe(event);
  await projector.close();
  expect(read).not.toHaveBeenCalled();
  expect(await filesBelow(path.join(other, 'sessions', name))).toEqual(files);
});

test('each round and each stage has a separate file, and every link leads to a file', () => {
  const all = [writer, editor, checker, proofreader, ...critics].map(fileOf);
  expect(Object.keys(files).sort()).toEqual([...all, 'metadata.json', 'session.md'].sort());
  const links = Object.values(files).flatMap(linksOf);
  expect(links.filter((link) => !Object.hasOwn(files, link.slice(name.length + 1)))).toEqual([]);
});

test('the session page and its metadata name the chosen answer and the reason', () => {
  expect(files['session.md']).toContain(
    '### Answer\n\nAnswer of lead, 90 of 100: its review passed. Superseded: 1 answer (60 of 100).\n\n> Three faults, all',
  );
  const metadata = JSON.parse(files['metadata.json'] ?? '') as { workflows: { result: unknown }[] };
  expect(metadata.workflows[0]?.result).toEqual({
    run_id: served.lead.runId,
    agent_name: 'lead',
    entry: 7,
    reason: 'approved',
    score: 90,
    superseded: [{ entry: 3, score: 60 }],
  });
});

test('the session page lists coagents and stages below their sub-agent, and each handoff round of the lead', () => {
  const session = files['session.md'] ?? '';
  const link = (who: typeof writer) => `[[${name}/${fileOf(who).slice(0, -3)}|${who.agent}]]`;
  const lines = session.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`- ${link(writer)}, delegate, write a report: completed`));
  expect(lines.slice(at + 1, at + 4)).toEqual([
    expect.stringContaining(`  - ${link(proofreader)}, Coagent, round 1: completed, 0.500 s`),
    expect.stringContaining(`  - ${link(editor)}, Stage 1 of 2: completed`),
    expect.stringContaining(`  - ${link(checker)}, Stage 2 of 2: completed`),
  ]);
  expect(session.slice(session.indexOf('### Handoffs'), session.indexOf('\n### Answer'))).toBe(`### Handoffs

- Round 1 of 3, ${link(critics[0])}: not passed, 60 of 100

> Score: 60
> Name the files.

<details>
<summary>Superseded answer</summary>

\`\`\`
Three faults.
\`\`\`

</details>

- Round 2 of 3, ${link(critics[1])}: passed, 90 of 100

> Score: 90
> Good.
`);
  expect(session).toContain('- Sub-agents: 1\n');
  expect(session).not.toContain('Further sub-agents');
  expect(session, 'they came back with a handoff').not.toContain('### Reviews');
  const ofFiles = (whos: readonly (typeof writer)[]) => whos.map((who) => `[[${name}/${fileOf(who).slice(0, -3)}]]`);
  expect(fieldsOf(session)).toMatchObject({
    sub_agents: ofFiles([writer, editor, checker]),
    coagents: ofFiles([proofreader, ...critics]),
  });
});

test('a handoff round without text from the coagent takes one line', () => {
  const out = { ...ways, at, answer: 1, runId: 'gone', prompt: 'Look.' };
  const items = handoffsOf(
    [
      { ...out, n: 2, round: 1 },
      { ...out, n: 3, round: 1, back: { outcome: 'completed' } },
      { ...out, n: 4, round: 2, runId: null },
      { ...out, n: 5, round: 3 },
    ],
    [],
    'session',
  );
  expect(items).toEqual([
    ...['', '- Round 1 of 3, critic: completed'],
    ...['', '- Round 2 of 3, critic: it went on by itself'],
    ...['', '- Round 3 of 3, critic: not back yet'],
  ]);
});

test('folds superseded answers, except an answer that a coagent completed', () => {
  const entries = [
    ...reviewedAnswer(0, 'One', false, 40),
    ...reviewedAnswer(3, 'Two', true, 90),
    answerEntry(6, 'Closing', 'critic'),
  ];
  const run = { outcome: 'completed', text: 'Two\n\nClosing' } as const;
  expect(foldSupersededAnswer(0, run, entries).join('\n')).toContain(
    '<summary>Superseded answer</summary>\n\n```\nOne',
  );
  expect(foldSupersededAnswer(3, run, entries)).toEqual([]);
});

test('pages of coagents and stages name their target and position, and the target page lists its stages', () => {
  const whole = `[[${name}/session]]`;
  const link = (who: typeof writer) => `[[${name}/${fileOf(who).slice(0, -3)}]]`;
  expect(fieldsOf(page(writer))).toMatchObject({ subagent_of: whole });
  expect(page(writer)).toContain(
    `Followed by ${link(editor).replace(']]', '|editor]]')}, ${link(checker).replace(']]', '|checker]]')}.`,
  );
  expect(page(writer)).toMatch(/## Handoffs\n\n- Round 1 of 3, \[\[.+\|proofreader\]\]: passed\n\n> I put in/);
  expect(fieldsOf(page(checker))).toMatchObject({ stage_of: link(writer), place: 2, depth: 1, kind: 'chain' });
  expect(page(checker)).toContain(`Stage 2 of 2: it follows ${link(writer).replace(']]', '|writer]]')} in [[`);
  expect(fieldsOf(page(proofreader))).toMatchObject({ coagent_of: link(writer), place: 1, depth: 1 });
  expect(fieldsOf(page(critics[1]))).toMatchObject({ coagent_of: whole, place: 2, depth: 0 });
  expect(page(critics[1])).toContain('Coagent, round 2: it works for lead in [[');
});

test('the metadata contains the whole tree with parents, depths, positions and call paths', () => {
  const { execution_trace: trace, sub_agents } = JSON.parse(files['metadata.json'] ?? '') as {
    execution_trace: Record<string, unknown>[];
    sub_agents: { agent_name: string; kind: string }[];
  };
  const facts = ['agent_name', 'parent_trace_id', 'depth', 'place', 'call_path'];
  const idle = (n: number) => idOf(n).replaceAll('-', '');
  expect(trace.map((entry) => facts.map((fact) => entry[fact]))).toEqual([
    ['lead', null, 0, undefined, []],
    ['writer', idle(61), 1, undefined, ['child:writer']],
    ['proofreader', idle(62), 1, 1, ['child:writer', 'child:proofreader']],
    ['editor', idle(62), 1, 1, ['child:writer', 'child:editor']],
    ['checker', idle(62), 1, 2, ['child:writer', 'child:editor', 'child:checker']],
    ['critic', idle(61), 0, 1, ['child:critic']],
    ['critic', idle(61), 0, 2, ['child:critic']],
  ]);
  expect(sub_agents.map(({ agent_name, kind }) => [agent_name, kind])).toEqual([
    ['writer', 'delegate'],
    ['editor', 'chain'],
    ['checker', 'chain'],
  ]);
});

test('an export names the role and target of each run, and each handoff with its result', async () => {
  const conversation = (await store.conversation(conversationId))!;
  const { text } = await exportConversation(store, conversation, { format: 'md', version: '1' });
  const heads = text.split('\n').filter((line) => /^### (Lead|Sub-agent|Stage|Coagent)/.test(line));
  expect(heads).toEqual([
    '### Lead lead: completed',
    '### Sub-agent writer: completed',
    '### Coagent, round 1: proofreader: completed',
    '### Stage 1 of 2: editor: completed',
    '### Stage 2 of 2: checker: completed',
    '### Coagent, round 1: critic: completed',
    '### Coagent, round 2: critic: completed',
  ]);
  expect(text).toContain(`chain, write a report, follows \`writer\` \`${writer.runId}\``);
  expect(text).toContain('**Handoff** from lead to critic, round 1 of 3 ·');
  expect(text).toContain('**Handoff** from critic to lead, round 1 of 3: not passed, 60 of 100 ·');
  expect(text).toContain('**Answer** of its coagent proofreader ·');
  const { text: json } = await exportConversation(store, conversation, { format: 'json', version: '1' });
  const { workflows } = JSON.parse(json) as {
    workflows: { runs: { agent: string; place?: number; entries: { kind: string }[] }[] }[];
  };
  const runs = workflows[0]?.runs ?? [];
  expect(runs.map(({ place }) => place)).toEqual([undefined, undefined, 1, 1, 2, 1, 2]);
  expect(runs[0]?.entries.filter(({ kind }) => kind === 'handoff')).toHaveLength(4);
});
