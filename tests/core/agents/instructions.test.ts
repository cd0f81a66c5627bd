/** A project's instructions for agents: which files are read, how much of them, and that nobody is told a text that is not trusted. */
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { MAX_INSTRUCTION_BYTES } from '#contract/limits.ts';
import { buildSystemPrompt } from '#core/agents/system-prompt.ts';
import { startConfigured } from '../../support/settings/configured.ts';
import { envelopeOf } from '../../support/envelope.ts';
import { eventually } from '../../support/eventually.ts';
import { folderWith } from '../../support/workspace.ts';

/** A project in a repository, both below a folder that is not theirs; `at`: where the agents work. */
async function project(files: Record<string, string>, at = 'repo/app/web') {
  const outside = { 'AGENTS.md': 'Of a stranger', 'data/x': '' };
  const root = await folderWith({ ...outside, 'repo/.git/HEAD': '', [`${at}/x`]: '', ...files });
  const folder = join(root, at);
  const warnings: string[] = [];
  const runtime = await startConfigured(join(root, 'data'), {}, (line) => warnings.push(line));
  const look = async () => (await runtime.request('trust.look', { folder })).files;
  const told = async () =>
    (await runtime.request('agents.preview', { folder, agent: 'lead' })).envelope.instructions ?? [];
  return {
    runtime,
    root,
    folder,
    warnings,
    look,
    told,
    paths: async () => (await told()).map(({ path }) => path),
    untrusted: async () => (await look()).filter(({ state }) => state !== 'same').map(({ path }) => path),
    agree: async () => {
      const known = (await look()).flatMap(({ path, hash }) => (hash === null ? [] : [{ path, hash }]));
      await runtime.request('trust.set', { folder, files: known });
    },
    write: async (path: string, text: string) => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    },
  };
}

test('trusted instruction files are read from the nearest folder up to the root of the repository', async () => {
  const { paths, untrusted, agree, look } = await project({
    'repo/app/web/CLAUDE.md': '# Web\nUse tabs.',
    'repo/app/web/AGENTS.md': 'Build with make.',
    'repo/app/CLAUDE.md': 'Of the app',
    'repo/AGENTS.md': 'Of the repository',
    'repo/app/web/src/AGENTS.md': 'Of a folder below',
  });
  const all = ['AGENTS.md', 'CLAUDE.md', '../CLAUDE.md', '../../AGENTS.md'];
  expect([await paths(), await untrusted()]).toEqual([[], all]);
  expect((await look()).map(({ path, says }) => [path, says])).toEqual([
    ['AGENTS.md', 'instructions for agents, 16 bytes: Build with make.'],
    ['CLAUDE.md', 'instructions for agents, 15 bytes: Web'],
    ['../CLAUDE.md', 'instructions for agents, 10 bytes: Of the app'],
    ['../../AGENTS.md', 'instructions for agents, 17 bytes: Of the repository'],
  ]);
  await agree();
  expect([await paths(), await untrusted()]).toEqual([all, []]);
});

test('outside a repository only the files of the folder count; a .git file marks a repository too', async () => {
  const files = { 'plain/AGENTS.md': 'Above', 'plain/app/AGENTS.md': 'Here' };
  const alone = await project(files, 'plain/app');
  await alone.agree();
  expect(await alone.paths()).toEqual(['AGENTS.md']);
  await alone.write('plain/.git', 'gitdir: elsewhere');
  await alone.agree();
  expect(await alone.paths()).toEqual(['AGENTS.md', '../AGENTS.md']);
});

test('a changed instruction file is excluded until it is trusted again', async () => {
  const { told, untrusted, agree, write, look } = await project({ 'repo/AGENTS.md': 'One', 'repo/app/AGENTS.md': 'A' });
  await agree();
  await write('repo/AGENTS.md', 'Two');
  expect((await told()).map(({ text }) => text)).toEqual(['A']);
  expect([await untrusted(), (await look()).map(({ state }) => state)]).toEqual([
    ['../../AGENTS.md'],
    ['same', 'changed'],
  ]);
  await agree();
  expect((await told()).map(({ text }) => text)).toEqual(['A', 'Two']);
});

test('identical texts are included once, and a link that leads out of the repository is never read', async () => {
  const { root, folder, paths, agree, look, warnings } = await project({
    'repo/AGENTS.md': 'The same',
    'repo/app/AGENTS.md': 'The same',
    'repo2/secret.md': 'Not of this project',
    'outside.md': 'Not of this project either',
  });
  await symlink('../AGENTS.md', join(folder, 'CLAUDE.md'));
  await symlink(join(root, 'outside.md'), join(folder, 'AGENTS.md'));
  // The name of the repository's folder begins alike.
  await symlink(join(root, 'repo2/secret.md'), join(root, 'repo/CLAUDE.md'));
  expect((await look()).map(({ path, says }) => `${path}: ${says}`)).toEqual([
    'CLAUDE.md: instructions for agents, 8 bytes: The same',
    '../AGENTS.md: instructions for agents, 8 bytes: The same (the text of CLAUDE.md, told once)',
    '../../AGENTS.md: instructions for agents, 8 bytes: The same (the text of CLAUDE.md, told once)',
  ]);
  await agree();
  expect(await paths()).toEqual(['CLAUDE.md']);
  const why = 'is not read: it is a link that leads out of the project';
  expect(warnings).toEqual([`${join(folder, 'AGENTS.md')} ${why}`, `${join(root, 'repo/CLAUDE.md')} ${why}`]);
});

test('nearer files are included whole first, and text beyond the size limit is cut at a character and marked', async () => {
  const near = 'n'.repeat(MAX_INSTRUCTION_BYTES - 8);
  const { told, agree } = await project({
    'repo/app/web/AGENTS.md': near,
    'repo/app/AGENTS.md': '€€€€',
    'repo/AGENTS.md': 'far',
  });
  await agree();
  const instructions = [...(await told())];
  expect(instructions.map(({ text, cut }) => [text, cut])).toEqual([
    [near, undefined],
    ['€€', true],
    ['fa', true],
  ]);
  const prompt = buildSystemPrompt(envelopeOf('lead', 'Look', { systemPrompt: 'You lead.', instructions }));
  expect(prompt).toMatch(/^You lead\.\n\n# The project's guidance\n.*permit nothing and start nothing/);
  expect(prompt).toContain(`<guidance file="AGENTS.md">\n${near}\n</guidance>`);
  expect(prompt).toContain(
    '<guidance file="../AGENTS.md">\n€€\n[Cut off here: only the beginning of this file is told]',
  );
});

test('the watch reports a changed, a new and a deleted instruction file', async () => {
  const { runtime, root, folder, write } = await project({ 'repo/AGENTS.md': 'One' });
  const changed = vi.fn();
  await runtime.subscribe('agents', { folder }, changed);
  for (const change of [
    () => write('repo/AGENTS.md', 'Two'),
    () => write('repo/app/CLAUDE.md', 'New'),
    () => rm(join(root, 'repo/AGENTS.md')),
  ]) {
    changed.mockClear();
    await change();
    await eventually(() => expect(changed).toHaveBeenCalled());
  }
});
