/** Workspaces in folders whose files are secret by their absolute path. */
import { link, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deleteFileTool } from '#core/tools/delete-file.ts';
import { grepTool } from '#core/tools/grep.ts';
import { moveFileTool } from '#core/tools/move-file.ts';
import { readFileTool } from '#core/tools/reading/read-file.ts';
import { search } from '#core/tools/search/search.ts';
import { writeFileTool } from '#core/tools/write-file.ts';
import { protectedFiles } from '#core/workspace/hard-links.ts';
import { isKept } from '#core/workspace/kept-files.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { runShell } from '#core/workspace/shell/shell-process.ts';
import { sandbox, shellIn, skipped, words } from '../core/workspace/shell/support.ts';
import { asking, RIPGREP } from '../support/searching.ts';
import { call, contextIn, folderWith, workspaceIn } from '../support/workspace.ts';
import { attack } from './attacks.ts';

/** Workspace folder below the home folder, secret file in it, and its program. */
const WORKSPACES = [
  ['.ssh', 'work', 'SSH'],
  ['.aws', 'sso/cache/token', 'Amazon Web Services'],
  ['.config/gh', 'hosts.yml', 'GitHub CLI'],
  ['.config', 'gh/hosts.yml', 'GitHub CLI'],
  ['.m2', 'settings.xml', 'Maven'],
  ['.config/solana', 'id.json', 'Solana'],
] as const;

async function makeWorkspace(name: string, file: string) {
  const home = await folderWith({ [join(name, file)]: 'HIDDEN' });
  await writeFile(join(home, 'plain'), 'shown');
  return { home, folder: join(home, name), path: join(home, name, file) };
}

attack('workspaces in a folder of secrets', async (tries) => {
  expect(WORKSPACES).toHaveLength(tries);
  for (const [name, file, program] of WORKSPACES) {
    const { folder, path } = await makeWorkspace(name, file);
    const why = `${file} usually holds keys or passwords of ${program}: tools neither read nor write it`;
    const context = contextIn(folder);
    expect(await call(readFileTool(), { path: file }, context)).toMatchObject({ status: 'error', output: why });
    for (const way of [undefined, ...(RIPGREP === null ? [] : [asking(RIPGREP)])]) {
      const found = await call(grepTool(), { pattern: 'HIDDEN' }, contextIn(folder, undefined, way));
      expect(found.output).not.toContain('HIDDEN');
    }
    expect((await call(grepTool(), { pattern: 'HIDDEN', path: file }, context)).status).toBe('error');
    const question = writeFileTool().question!({ path: file, content: '' }, context);
    await expect(question).rejects.toMatchObject({ message: why });
    const moved = moveFileTool().question!({ from: file, to: 'b' }, context);
    await expect(moved).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(deleteFileTool().question!({ path: file }, context)).rejects.toMatchObject({ code: 'not_allowed' });
    const workspace = workspaceIn(folder);
    const job = {
      kind: 'names',
      text: '',
      limit: 100,
      workspace,
      start: folder,
      hidden: [],
      includeIgnored: true,
    } as const;
    const names = await search(job, new AbortController().signal, { ripgrep: null });
    expect(names.lines.filter((line) => !line.endsWith('/'))).toEqual([]);
    expect(isKept(workspace, file)).toBe(false);
    // Another name of the file is found by its inode.
    await link(path, join(dirname(folder), 'other name'));
    expect((await protectedFiles(workspace))?.size).toBe(1);
  }
});

test('allows other files in a folder of secrets', async () => {
  const { folder } = await makeWorkspace('.m2', 'settings.xml');
  await writeFile(join(folder, 'notes.txt'), 'shown');
  expect(await call(readFileTool(), { path: 'notes.txt' }, contextIn(folder))).toMatchObject({ output: 'shown' });
});

test('matches custom secret patterns with paths relative to the workspace', async () => {
  const { folder } = await makeWorkspace('deploy/tokens', 'prod.txt');
  const secrets = { ...NO_FILES, patterns: ['deploy/tokens/**'] };
  const result = await call(readFileTool(), { path: 'prod.txt' }, contextIn(workspaceIn(folder, { secrets })));
  expect(result).toMatchObject({ output: 'HIDDEN' });
});

test.runIf(process.platform === 'linux')('refuses to read the environment of a process', async () => {
  const folder = await realpath('/proc/self');
  const context = contextIn(folder);
  const link = join(await folderWith(), 'environment');
  await symlink('/proc/self/environ', link);
  for (const [place, path] of [
    [context, 'environ'],
    [contextIn('/proc'), `${process.pid}/environ`],
  ] as const)
    expect(await call(readFileTool(), { path }, place)).toMatchObject({
      status: 'error',
      output: `${path} usually holds keys or passwords of the system: tools neither read nor write it`,
    });
});

describe.skipIf(skipped)(`the sandbox (${words})`, () => {
  test('starts no command in a folder of secrets', async () => {
    for (const name of ['.ssh', '.config/gh', '.aws/sso']) {
      const { folder } = await makeWorkspace(name, 'file');
      const shell = await shellIn({ workspace: workspaceIn(folder), sandbox });
      await expect(runShell({ ...shell, command: 'cat file' }), name).rejects.toMatchObject({ code: 'not_allowed' });
    }
  });

  test('hides files of programs in an ordinary workspace', async () => {
    const secrets = [
      '.vault_pass',
      'a/client_secrets.json',
      'token.json',
      'http.keytab',
      'wg0.conf',
      '.fly/config.yml',
    ];
    const files = secrets.map((path) => [path, 'HIDDEN'] as const);
    const folder = await folderWith({ ...Object.fromEntries(files), 'tokens.json': 'shown', 'fly.toml': 'shown' });
    const shell = await shellIn({ workspace: workspaceIn(folder), sandbox });
    const { output } = await runShell({ ...shell, command: 'cat $(find . -type f)' });
    expect(output.head).toMatch(/shown[^]*shown/);
    expect(output.head).not.toContain('HIDDEN');
  });

  test('hides secrets by their absolute path', async () => {
    const { home, folder } = await makeWorkspace('.config', 'gh/hosts.yml');
    for (const path of ['.m2/settings.xml', '.config/solana/id.json', '.config/stripe/config.toml']) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), 'HIDDEN');
    }
    for (const place of [folder, join(home, '.m2'), join(folder, 'solana'), join(folder, 'stripe')]) {
      const shell = await shellIn({ workspace: workspaceIn(place), sandbox });
      const { output } = await runShell({ ...shell, command: 'cat $(find . -type f); echo done' });
      expect(output.head, place).toMatch(/done/);
      expect(output.head, place).not.toContain('HIDDEN');
    }
  });
});
