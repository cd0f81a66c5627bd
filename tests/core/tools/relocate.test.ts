/** The question before something is moved or deleted says what goes, and what can be undone, each once. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Block, toolUse } from '../../support/fake-model/script.ts';
import { sharedEngine } from '../../support/shared-engine.ts';
import { runCalls, scriptCalls } from '../../support/tool-calls.ts';

const { start } = sharedEngine();
const move = (from: string, to: string) => toolUse('move_file', { from, to });
const remove = (path: string) => toolUse('delete_file', { path });

/** Returns what the calls ask the person, who rejects them all. */
async function ask(files: Record<string, string>, calls: readonly Block[], emptyFolder = '.') {
  const { engine } = await runCalls(calls, async (script) => {
    const started = await start(script, { files, person: () => ({ kind: 'reject', reason: '' }) });
    await mkdir(join(started.folder, emptyFolder), { recursive: true });
    return started;
  });
  return { folder: engine.folder, asked: engine.of('approval-request').map(({ approval }) => approval) };
}

test('the question about deleting or moving a folder names its files and their size', async () => {
  const files = { 'old/b/c.txt': 'three', 'old/a.txt': 'one', 'one/a.txt': '1' };
  const { folder, asked } = await ask(files, [remove('old'), move('one', 'two')], 'old/empty');
  expect(asked.map(({ title }) => title)).toEqual(['Delete old/', 'Move one to two']);
  expect(asked.map(({ description }) => description)).toEqual([
    `Deletes old/ with 2 files (8 bytes) in ${folder}. In it: a.txt, b/c.txt. This can be undone`,
    `Moves one/ with 1 file (1 byte) in ${folder}. In it: a.txt. This can be undone`,
  ]);
});

test('the question about a folder with many files names the first 20 and counts the others', async () => {
  const files = Array.from({ length: 23 }, (_, n) => [`old/${String(n).padStart(2, '0')}`, ''] as const);
  const { asked } = await ask(Object.fromEntries(files), [remove('old')]);
  expect(asked[0]?.description).toContain('In it: 00, 01,');
  expect(asked[0]?.description).toContain(', 19 and 3 more. This can be undone');
});

test('the question about deleting a text file previews its content and is marked as reversible', async () => {
  const { folder, asked } = await ask({ 'a.txt': 'one\n' }, [remove('a.txt')]);
  expect(asked[0]).toMatchObject({
    description: `Deletes a.txt (4 bytes) in ${folder}`,
    reversible: true,
    subject: { preview: { path: 'a.txt', removed: 1, deleted: true } },
  });
});

test('rules apply to each path that a move or a deletion changes', async () => {
  const sources = ['old', 'old/a.txt', 'old/b/c.txt'];
  const targets = ['sub/new', 'sub/new/a.txt', 'sub/new/b/c.txt'];
  const paths = [...sources, ...targets, 'old/b', 'sub', 'sub/new/b', '.', 'a.txt'];
  const rules = paths.map((path) => `[[permissions.rules]]\neffect = "deny"\ntool = "*"\npattern = "${path}"\n`);
  const files = { 'old/a.txt': '', 'old/b/c.txt': '' };
  const { runtime, folder } = await start(scriptCalls([]), { files, rules: rules.join('') });
  const getPaths = async (tool: string, input: unknown) => {
    const { steps } = await runtime.request('permissions.explain', { agent: 'lead', tool, input, folder });
    const denials = steps.filter(({ effect }) => effect === 'deny');
    return denials.map(({ id }) => paths[Number(id.replace('user:', '')) - 1]).toSorted();
  };
  expect(await getPaths('delete_file', { path: 'old' })).toEqual(sources);
  expect(await getPaths('move_file', { from: 'old', to: 'sub/new' })).toEqual([...sources, ...targets]);
});
