/** What is the program's own is passed over by searches, and read by nobody but a lead's notes tool; of paths to it, see `path-escapes.test.ts`. */
import { link } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allTools } from '#core/tools/all-tools.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { Workspace } from '#core/workspace/reach.ts';
import { WAYS } from '../../support/searching.ts';
import { call, contextIn, folderWith, workspaceIn } from '../../support/workspace.ts';

const CONFIG = '.config/triad';
const DATA = '.local/share/triad';
const SESSION = `${DATA}/sessions/2026-03-01 Hello/session.md`;
const FILES = {
  'notes/plan.md': 'PLAIN',
  [`${CONFIG}/config.toml`]: '# OWN\n',
  [`${CONFIG}/agents/helper.md`]: 'OWN',
  [`${DATA}/trusted.json`]: 'OWN',
  [`${DATA}/store/000001.sst`]: 'OWN',
  [SESSION]: '# OWN\n',
  '.triad/sessions/one/session.md': '# OWN\n',
};

/** A person's home as the workspace, with the program's folders in it. */
async function home(): Promise<Workspace> {
  const folder = await folderWith(FILES);
  const sessions = [join(folder, DATA, 'sessions'), join(folder, '.triad/sessions')];
  return workspaceIn(folder, { own: [join(folder, CONFIG), join(folder, DATA), sessions[1]!], sessions });
}

const toolNamed = (name: string): Tool => allTools().find((tool) => tool.name === name)!;
const REFUSED = /belongs to Triad itself|is also the name of a file that no tool reaches/;

test('searches from a parent folder skip all own folders, including file names', async () => {
  const workspace = await home();
  await link(join(workspace.folder, CONFIG, 'config.toml'), join(workspace.folder, 'notes/harmless.toml'));
  const context = contextIn(workspace);
  expect((await call(toolNamed('glob'), { pattern: '**' }, context)).output).toBe('notes/harmless.toml\nnotes/plan.md');
  expect((await call(toolNamed('glob'), { pattern: `${DATA}/**` }, context)).output).toContain('No file');
  for (const [, way] of WAYS) {
    const found = await call(toolNamed('grep'), { pattern: 'OWN|PLAIN' }, contextIn(workspace, undefined, way));
    expect(found.output).toBe('notes/plan.md:1:PLAIN');
  }
  expect((await call(toolNamed('list_notes'), {}, context)).output).toBe('notes/plan.md — plan');
});

test('rejects a hard link to an own file, but no other hard link', async () => {
  const workspace = await home();
  const at = (path: string): string => join(workspace.folder, path);
  await link(at(`${DATA}/trusted.json`), at('notes/harmless.json'));
  await link(at('notes/plan.md'), at('notes/twin.md'));
  const context = contextIn(workspace);
  const read = (path: string) => call(toolNamed('read_file'), { path }, context);
  expect(await read('notes/harmless.json')).toMatchObject({
    status: 'error',
    output: expect.stringMatching(REFUSED) as string,
  });
  expect(await read('notes/twin.md')).toMatchObject({ status: 'completed', output: 'PLAIN' });
});

test('read_note reads a session file for a lead, not for a sub-agent, and no other file of the program', async () => {
  const workspace = await home();
  const read = (note: string, place: Workspace) => call(toolNamed('read_note'), { note }, contextIn(place));
  const child = { ...workspace, sessions: [] };
  for (const note of [SESSION, '.triad/sessions/one/session.md']) {
    expect(await read(note, workspace), note).toMatchObject({ status: 'completed', output: '# OWN\n' });
    expect(await read(note, child), note).toMatchObject({ status: 'error' });
  }
  for (const note of [`${CONFIG}/agents/helper.md`, `${DATA}/sessions/../trusted.json`])
    expect(await read(note, workspace), note).toMatchObject({ status: 'error' });
});

test('no tool reads the sessions of a project in a subfolder', async () => {
  const folder = await folderWith({ 'p/.triad/sessions/one/session.md': '# OWN\n' });
  const workspace = workspaceIn(folder, { sessions: [join(folder, '.triad/sessions')] });
  for (const name of ['read_file', 'read_note'])
    expect(
      await call(
        toolNamed(name),
        { [name === 'read_file' ? 'path' : 'note']: 'p/.triad/sessions/one/session.md' },
        contextIn(workspace),
      ),
      name,
    ).toMatchObject({ status: 'error' });
  expect((await call(toolNamed('grep'), { pattern: 'OWN' }, contextIn(workspace))).output).not.toContain('# OWN');
});
