/** Three sub-agents change the same files side by side; what one of them did is undone alone, and that can be undone. */
import { chmod, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { startEngine } from '../../support/engine.ts';
import { LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { type Block, Script, text, toolUse } from '../../support/fake-model/script.ts';
import { inFullRun } from '../../support/samples.ts';
import { treeOf } from '../../support/tree.ts';
import { folderWith } from '../../support/workspace.ts';
import { sandbox } from '../workspace/shell/support.ts';

const LINES = Array.from({ length: 12 }, (_, n) => `line ${n + 1}`);
const FILES = { 'shared.txt': `${LINES.join('\n')}\n`, 'run.sh': '#!/bin/sh\n', 'old.txt': 'old\n' };

const ALL = { ...FILES, 'private.txt': 'private\n', 'gone/a.txt': 'gone\n' };

async function prepare(folder: string): Promise<void> {
  await chmod(join(folder, 'run.sh'), 0o755);
  await symlink('old.txt', join(folder, 'link'));
}

async function workspaceWith(files: Record<string, string>): Promise<string> {
  const folder = await folderWith({ ...ALL, ...files });
  await prepare(folder);
  return folder;
}

const edit = (path: string, old: string, fresh: string): Block =>
  toolUse('edit_file', { path, edits: [{ old_text: `${old}\n`, new_text: `${fresh}\n` }] });
const write = (path: string, content: string): Block => toolUse('write_file', { path, content });

/** What each of them does, call by call. */
const FIRST = [edit('shared.txt', 'line 1', 'first was here'), write('first.txt', 'first\n')];
const SECOND = [
  edit('shared.txt', 'line 6', 'second was here\nwith two lines'),
  ...[write('new/deep/second.txt', 'second\n'), toolUse('delete_file', { path: 'old.txt' })],
  edit('shared.txt', 'second was here', 'second was here again'),
  toolUse('move_file', { from: 'run.sh', to: 'bin/run.sh' }),
];
const SHELL = toolUse('bash', {
  command: 'chmod 600 private.txt; ln -sfn shared.txt link; printf "\\0\\1" > made.bin; rm -r gone',
});
const THIRD = [edit('shared.txt', 'line 12', 'third was here'), write('third.txt', 'third\n')];

/** What each writes into the shared file last, and what is there from the beginning. */
const LAST: Record<string, string> = { '': 'line 2', first: 'first was here', second: 'here again' };

interface Agents {
  [name: string]: Block[];
}

/** A workspace in which the agents have worked side by side, each with its calls in order. */
async function worked(agents: Agents) {
  const script = new Script();
  const names = Object.keys(agents);
  const tools = ['write_file', 'edit_file', 'move_file', 'delete_file', 'bash'];
  const spawns = names.map((name) => spawn({ name, prompt: `Work as ${name}`, tools }));
  // All of them are there from the beginning; none edits in the moment between another one's question and its edit.
  let folder = '';
  const hasEdited = (name: string | undefined) => () =>
    eventually(async () => expect(await readFile(join(folder, 'shared.txt'), 'utf8')).toContain(LAST[name ?? '']));
  for (const [position, name] of names.entries())
    for (const [index, call] of [...(agents[name] ?? []), text(`Report: ${name}`)].entries())
      script
        .on({ prompt: new RegExp(`Work as ${name}`), turn: index + 1 })
        .reply([call], index === 0 ? { hold: { after: 0, until: hasEdited(names[position - 1]) } } : {});
  script.on({ ...LEAD, turn: 1 }).reply(spawns);
  script.on(LEAD).reply([text('Done.')]);
  const engine = await startEngine(script, { files: ALL, settings: 'permissions.mode = "auto"\n' });
  ({ folder } = engine);
  await prepare(folder);
  expect((await engine.ask('Work')).outcome).toBe('completed');
  const statuses = engine.of('tool-end').map(({ entry }) => [entry.name, entry.status, entry.output]);
  expect(statuses.filter(([, status]) => status !== 'completed')).toEqual([]);
  const { conversationId, runtime } = engine;
  const runOf = (name: string) => engine.of('run-queue').find((event) => event.name === name)!.runId;
  const request = (name: string, more: object = {}) =>
    runtime.request('change.undo', { conversationId, target: { runId: runOf(name) }, ...more });
  return { engine, runOf, undo: request };
}

/** What is there where only the first and the third have worked. */
async function withoutSecond(): Promise<string> {
  if (inFullRun) return (await worked({ first: FIRST, third: THIRD })).engine.folder;
  const shared = LINES.with(0, 'first was here').with(11, 'third was here');
  const made = { 'shared.txt': `${shared.join('\n')}\n`, 'first.txt': 'first\n', 'third.txt': 'third\n' };
  return workspaceWith(made);
}

test.skipIf(!sandbox)(
  'undoing one of three sub-agents leaves the files of a run without it, and a redo restores every byte',
  { timeout: 60_000 },
  async () => {
    const second = [...SECOND, SHELL];
    const [all, without] = await Promise.all([worked({ first: FIRST, second, third: THIRD }), withoutSecond()]);
    const before = await treeOf(all.engine.folder);
    const preview = await all.undo('second', { preview: true });
    expect(await treeOf(all.engine.folder)).toEqual(before);
    const done = await all.undo('second');
    expect(done).toEqual(preview);
    expect(done.filter(({ outcome }) => outcome === 'merged').map(({ path }) => path)).toEqual(['shared.txt']);
    expect(await treeOf(all.engine.folder)).toEqual(await treeOf(without));
    const rows = await all.engine.runtime.request('change.list', { conversationId: all.engine.conversationId });
    const states = (name: string) =>
      rows.filter(({ runId }) => runId === all.runOf(name)).flatMap(({ files }) => files.map(({ state }) => state));
    expect(new Set(states('second'))).toEqual(new Set(['undone']));
    expect(states('first')).not.toContain('undone');

    await all.undo('second', { redo: true });
    expect(await treeOf(all.engine.folder)).toEqual(before);
    // And once more.
    await all.undo('second');
    expect(await treeOf(all.engine.folder)).toEqual(await treeOf(without));
  },
);

test('a later change by the person is a conflict: nothing is undone, unless conflicts may be left out', async () => {
  const { engine, undo } = await worked({
    first: [edit('shared.txt', 'line 1', 'first was here'), write('first.txt', 'first\n')],
  });
  const at = (path: string): string => join(engine.folder, path);
  await writeFile(
    at('shared.txt'),
    (await readFile(at('shared.txt'), 'utf8')).replace('first was', 'first and I were'),
  );
  const before = await treeOf(engine.folder);
  expect(await undo('first', { preview: true })).toEqual([
    { path: 'first.txt', outcome: 'put_back' },
    {
      path: 'shared.txt',
      outcome: 'conflict',
      why: 'What was changed since is in the way',
      says: { key: 'change_in_the_way', values: {} },
    },
  ]);
  await expect(undo('first')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/^shared\.txt: what was changed since is in the way\. Nothing was undone/) as string,
  });
  expect(await treeOf(engine.folder)).toEqual(before);
  await undo('first', { leave: true });
  const { 'first.txt': _, ...left } = before;
  expect(await treeOf(engine.folder)).toEqual(left);
});

test('the next request of the lead mentions the undo once', async () => {
  const { engine, undo, runOf } = await worked({ first: [write('first.txt', 'first\n')] });
  await undo('first');
  await undo('first', { redo: true });
  await undo('first');
  await engine.ask('Go on');
  const told = () =>
    engine.model.requests
      .at(-1)!
      .body.messages.flatMap(({ content }) => JSON.stringify(content).match(/undid what first did: first\.txt/g) ?? []);
  expect(told()).toHaveLength(1);
  await engine.ask('And on');
  expect(told()).toHaveLength(1);
  await engine.runtime.request('change.undo', {
    conversationId: engine.conversationId,
    target: { runId: runOf('first') },
    redo: true,
  });
  await engine.ask('Again');
  expect(JSON.stringify(engine.model.requests.at(-1)!.body.messages)).toContain('did again what first did: first.txt');
});
