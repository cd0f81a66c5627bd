/** Exports: everything that is stored, in a form that no content can break. */
import { Marked, type Token } from 'marked';
import { expect, test } from 'vitest';
import { memoryStore } from '../../../../support/stores/pooled.ts';
import { type Harness, startEngine } from '../../../../support/engine.ts';
import { Script } from '../../../../support/fake-model/script.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';
import { plainAnswer, threeChildren } from '../../../../support/fake-model/scenarios.ts';
import { Conversation } from '../../../store/finished.ts';
import { variations } from '../../../../support/samples.ts';

interface Exported {
  format: string;
  version: number;
  conversation: { id: string; title: string };
  workflows: {
    executions: object[];
    prompt: string;
    outcome: string;
    runs: {
      agent: string;
      task: string;
      outcome: string;
      entries: object[];
      calls: object[];
      requests: { nanoUsd: number }[];
    }[];
    approvals: {
      request: { title: string };
      decisions: { allowed: boolean; decidedBy: string; at: string }[];
    }[];
  }[];
}

test('exports a whole conversation with sub-agents as JSON and as Markdown', async () => {
  const engine = await startEngine(threeChildren());
  const { runtime, store, conversationId } = engine;
  const end = await engine.ask('Review `it` all');
  const { text, fileName } = await runtime.request('conversation.export', { conversationId, format: 'json' });
  expect(fileName).toMatch(/^\d{4}-\d\d-\d\d-review-it-all-[0-9a-f]{6}\.json$/);
  const exported = JSON.parse(text) as Exported;
  expect(exported).toMatchObject({
    format: 'triad-conversation',
    version: 1,
    conversation: { id: conversationId },
  });
  const [workflow] = exported.workflows;
  const detail = await runtime.request('workflow.get', { workflowId: end.workflowId });
  expect(workflow?.runs.map(({ agent, task, outcome }) => [agent, task, outcome])).toEqual(
    detail.runs.map(({ agent, task, outcome }) => [agent, task, outcome]),
  );
  for (const [index, run] of detail.runs.entries())
    expect(workflow?.runs[index]?.entries).toEqual(JSON.parse(JSON.stringify(await store.entriesOf(run.id))));
  expect(workflow?.runs.flatMap(({ calls }) => calls)).toHaveLength(detail.calls.length);
  expect(workflow?.runs.flatMap(({ requests }) => requests)).toHaveLength(detail.requests.length);
  const { items: executions } = await runtime.request('execution.list', {});
  expect(executions.toReversed()).toMatchObject(workflow?.executions ?? []);
  expect(executions).toHaveLength(3);
  expect(workflow?.approvals).toEqual(JSON.parse(JSON.stringify(detail.approvals)));

  const { text: markdown } = await runtime.request('conversation.export', { conversationId, format: 'md' });
  for (const run of detail.runs) {
    expect(markdown).toContain(run.id);
    for (const entry of await store.entriesOf(run.id)) {
      if (entry.kind === 'tool') expect(markdown).toContain(entry.output);
      if (entry.kind === 'user') expect(markdown).toContain(entry.text);
      if (entry.kind !== 'assistant') continue;
      for (const part of entry.parts) if (part.type === 'text') expect(markdown).toContain(part.text);
    }
  }
  for (const { id, sub_agent_name: name, result_summary: said = '' } of executions) {
    const line = markdown.split('\n').find((one) => one.startsWith(`  - \`${name}\` \`${id}\`: completed, `)) ?? '';
    expect(line).toMatch(/ s, \d+ input tokens, \d+ output tokens, \$\d/);
    expect(said.length > 10 && line.replaceAll('\\', '').endsWith(said)).toBe(true);
  }
  expect(markdown.match(/approved by person at \d{4}-/g)).toHaveLength(3);
});

/** The blocks of a Markdown text as a reader of Markdown sees them. */
function blocksOf(markdown: string, type: Token['type']): string[] {
  return new Marked()
    .lexer(markdown)
    .flatMap((token) => (token.type === type && 'text' in token ? [String(token.text)] : []));
}

const { start } = sharedEngine();

const exported = ({ runtime }: Harness, conversationId: string, format: 'md' | 'json') =>
  runtime.request('conversation.export', { conversationId, format });

test('hostile content stays within its Markdown block and is unchanged in the JSON export', async () => {
  const engine = await start(new Script());
  const hostile = [
    ...['# Heading\n```js\ncode\n```\n- item', '`````\n~~~\n````````````\n<script>alert(1)</script>'],
    ...[
      '</details> | table | & &amp; \u2028 line',
      'a\0b \ud83e lone',
      '--- \n\n    indented\n> quote',
      '🙂'.repeat(50),
    ],
  ];
  const conversation = await new Conversation(engine.store).create();
  for (const text of hostile)
    await conversation.add({
      prompt: text,
      lead: { text, tools: ['grep'], output: text },
      children: [{ agent: 'x', text }],
    });
  const { text: json } = await exported(engine, conversation.row.id, 'json');
  const parsed = JSON.parse(json) as Exported;
  expect(parsed.workflows.map(({ prompt }) => prompt)).toEqual(hostile);
  const { text: markdown } = await exported(engine, conversation.row.id, 'md');
  expect(markdown.isWellFormed()).toBe(true);
  const code = blocksOf(markdown, 'code');
  for (const text of hostile) {
    const shown = text.replaceAll('\0', '\ufffd').toWellFormed();
    // Prompt, answer, result, and the sub-agent's report.
    expect(
      code.filter((block) => block === shown),
      text,
    ).toHaveLength(4);
  }
  expect(blocksOf(markdown, 'heading').filter((heading) => heading.startsWith('Workflow'))).toHaveLength(
    hostile.length,
  );
  expect(blocksOf(markdown, 'html')).toEqual([]);
});

test('the name of the export file is safe on every file system', async () => {
  const engine = await start(new Script());
  for (const prompt of variations(['../../etc/passwd', 'x'.repeat(500), '🙂', 'CON', 'Ünïcode: Größe?', '\0'], 3)) {
    const conversation = await new Conversation(engine.store).create();
    await conversation.add({ prompt });
    const { fileName } = await exported(engine, conversation.row.id, 'md');
    expect(fileName, prompt).toMatch(/^\d{4}-\d\d-\d\d-[a-z0-9]+(-[a-z0-9]+)*\.md$/);
    expect(fileName.length).toBeLessThan(100);
  }
});

test('exports a long conversation page by page, oldest first, and an empty conversation without workflows', async () => {
  const store = await memoryStore();
  const limits: number[] = [];
  const watched: Harness['store'] = {
    ...store,
    workflows: (query) => {
      limits.push(query.limit);
      // Returns smaller pages than requested, so that the export needs several.
      return store.workflows({ ...query, limit: 3 });
    },
  };
  const engine = await startEngine(new Script(), { store: watched });
  const conversation = await new Conversation(store).create();
  expect((JSON.parse((await exported(engine, conversation.row.id, 'json')).text) as Exported).workflows).toEqual([]);
  const prompts = Array.from({ length: 7 }, (_, index) => `Number ${index}`);
  await conversation.addAll(prompts.map((prompt) => ({ prompt })));
  limits.length = 0;
  const { workflows } = JSON.parse((await exported(engine, conversation.row.id, 'json')).text) as Exported;
  expect(workflows.map(({ prompt }) => prompt)).toEqual(prompts);
  // Once to look whether all is there, once for the text.
  expect(limits).toEqual([100, 100, 100, 100, 100, 100]);
});

test('exports a conversation without sub-agents with its title and outcome', async () => {
  const engine = await startEngine(plainAnswer());
  const { runtime, conversationId } = engine;
  await engine.ask('Hello');
  const { text } = await runtime.request('conversation.export', { conversationId, format: 'md' });
  expect(text).toMatch(/^# Hello\n/);
  expect(text).toContain('## Workflow 1: completed');
});
