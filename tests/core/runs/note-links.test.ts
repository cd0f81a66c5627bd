/** Notes and sessions name each other: what a session read and wrote, what links to it, and for a lead, from where a note is linked. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endedCall, isNote, notesOf } from '#domain/call-row.ts';
import { folderNameOf, noteLink } from '#core/host/records/sessions/names.ts';
import { startEngine } from '../../support/engine.ts';
import { CHILD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { inFullRun } from '../../support/samples.ts';
import { folderWith } from '../../support/workspace.ts';

const at = '2026-03-01T12:00:00.000Z';
const LOOK = [toolUse('list_notes', {}), toolUse('read_note', { note: 'plan' })];

function script(): Script {
  return new Script()
    .on({ ...CHILD, step: 1 })
    .reply(LOOK)
    .on({ asked: /^First/, step: 1 })
    .reply([
      toolUse('read_note', { note: 'plan' }),
      toolUse('read_note', { note: 'nowhere' }),
      toolUse('read_file', { path: 'src/a.js' }),
      toolUse('write_file', { path: 'docs/new.md', content: '# New\n' }),
      toolUse('write_file', { path: 'src/b.js', content: '//\n' }),
    ])
    .on({ asked: /^Then/, step: 1 })
    .reply(LOOK)
    .on({ asked: /^Then look, both/, step: 2 })
    .reply([spawn({ name: 'reader', prompt: 'Read it.' })])
    .on({})
    .reply([text('Done.')]);
}

const files = { 'plan.md': '# Plan\n\nDo it.\n', 'src/a.js': '//\n', '.hidden/x.md': '# Hidden\n' };

test('shows a lead the earlier sessions that read or wrote a note, and shows a sub-agent none', async () => {
  const engine = await startEngine(script(), { files });
  const { runtime, conversationId } = engine;
  await engine.ask('First look');
  const outputs = async (asked = 'Then look') => {
    const { id } = await runtime.request('conversation.create', {});
    const ended = Promise.withResolvers<Map<string, string>>();
    const seen = new Map<string, string>();
    await runtime.subscribe('conversation', { conversationId: id }, (event) => {
      if (event.type === 'tool-end') seen.set(`${event.agent} ${event.entry.name}`, event.entry.output);
      if (event.type === 'workflow-end') ended.resolve(seen);
    });
    await runtime.request('message.send', { conversationId: id, text: asked, approve: 'ask' });
    return ended.promise;
  };
  const linked = `linked from sessions: "First look" ${conversationId}`;
  const first = await outputs('Then look, both');
  expect(first.get('lead list_notes')).toBe(`docs/new.md — New (${linked})\nplan.md — Plan (${linked})`);
  expect(first.get('lead read_note')).toBe(`# Plan\n\nDo it.\n\n[${linked}]`);
  expect(first.get('reader list_notes')).toBe('docs/new.md — New\nplan.md — Plan');
  expect(first.get('reader read_note')).toBe('# Plan\n\nDo it.\n');
  // From here on in the full run.
  if (!inFullRun) return;

  // What is deleted links from nowhere; its own conversation says nothing new.
  expect((await outputs()).get('lead list_notes')).toContain('First look');
  await engine.ask('Then look');
  const own = engine.of('tool-end').findLast(({ agent, entry }) => agent === 'lead' && entry.name === 'list_notes');
  expect(own?.entry.output).not.toContain('First look');
  expect(own?.entry.output).toContain('"Then look"');
  await runtime.request('conversation.delete', { conversationId });
  expect((await outputs()).get('lead read_note')).not.toContain('First look');
});

test('a session lists the notes that its runs read and wrote, and the notes that link to the session', async () => {
  const engine = await startEngine(script(), { files, data: await folderWith() });
  const { runtime, store, conversationId, folder } = engine;
  const { workflowId } = await engine.ask('First look');
  const { calls } = await runtime.request('workflow.get', { workflowId });
  expect(notesOf(calls)).toEqual({ read: ['plan.md'], written: ['docs/new.md'] });

  const written = await runtime.request('conversation.project', { conversationId });
  const page = await readFile(join(written.folder, 'session.md'), 'utf8');
  expect(page).toContain('\n- Notes read: `plan.md`\n- Notes written: `docs/new.md`\n');
  expect(['a.md', 'b.markdown', 'c|d.md', '[e].md'].map(noteLink)).toEqual([
    '[[a]]',
    '[[b.markdown]]',
    '`c|d.md`',
    '`[e].md`',
  ]);

  const row = (await store.conversation(conversationId))!;
  const link = `See [[${folderNameOf(row)}/session|it]].\n`;
  await writeFile(join(folder, 'plan.md'), link);
  await writeFile(join(folder, 'docs/new.md'), `Session ${conversationId}\n`);
  await writeFile(join(folder, 'docs/other.md'), `Session ${conversationId.slice(0, 20)}\n`);
  await writeFile(join(folder, 'docs/code.js'), link);
  await writeFile(join(folder, '.hidden/x.md'), link);
  expect(await runtime.request('conversation.notes', { conversationId })).toEqual({
    linking: ['docs/new.md', 'plan.md'],
  });
});

test('a session stored in the project shows its notes as links, even if it was first stored in the data folder', async () => {
  const engine = await startEngine(script(), { files, data: await folderWith(), configFolder: await folderWith() });
  const { runtime, store, conversationId, folder } = engine;
  await engine.ask('First look');
  await runtime.request('conversation.project', { conversationId });
  await runtime.request('settings.set', { path: 'sessions.project', value: true });
  await engine.ask('Then look');
  const row = (await store.conversation(conversationId))!;
  const page = join(folder, '.triad/sessions', folderNameOf(row), 'session.md');
  const notes = async () => (await readFile(page, 'utf8').catch(() => '')).match(/^- Notes .*$/gm);
  await expect
    .poll(notes)
    .toEqual(['- Notes read: [[plan]]', '- Notes written: [[docs/new]]', '- Notes read: [[plan]]']);
});

test('only a completed read of a note file counts as a read note', () => {
  const entry = { n: 1, at, kind: 'tool', toolCallId: '1', name: 't', output: '', durationMs: 1 } as const;
  const ids = { seq: 1, conversationId: 'c', workflowId: 'w', runId: 'r', parentRunId: null, agent: 'a', at };
  const readBy = (status: 'completed' | 'error', metadata: Record<string, unknown>) =>
    endedCall({ ...ids, type: 'tool-end', entry: { ...entry, status, metadata } }).read;
  expect(readBy('completed', { path: 'a.md' })).toBe('a.md');
  expect(readBy('error', { path: 'a.md' })).toBeUndefined();
  expect(readBy('completed', { path: 'a.md', undoable: true })).toBeUndefined();
  expect(readBy('completed', { path: 'a.js' })).toBeUndefined();
});

test.for([
  ['a.md', true],
  ['b/c.Markdown', true],
  ['a.mdx', false],
  ['.triad/sessions/x/session.md', false],
  ['a/.b/c.md', false],
  ['../a.md', false],
  ['/home/a.md', false],
  ['C:/a.md', false],
  [7, false],
] as const)('%s is a note of the folder: %s', ([path, is]) => {
  expect(isNote(path)).toBe(is);
});
