/** Files that hold keys are neither read, searched nor written, under any name that leads to them. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { grepTool } from '#core/tools/grep.ts';
import { readFileTool } from '#core/tools/read-file.ts';
import { isSecret } from '#core/tools/secret-names.ts';
import { writeFileTool } from '#core/tools/write-file.ts';
import { call, contextIn, folderWith } from '../../support/workspace.ts';

const secrets = [
  '.env',
  '.env.local',
  '.ENV',
  'a/.env.production',
  'server.pem',
  'x/tls.KEY',
  'id_rsa',
  'id_ed25519',
  '.npmrc',
  '.netrc',
  '.ssh/config',
  '.aws/credentials',
  '.envrc',
  'deploy/prod.env',
  '.env~',
  '.env.',
  '.env ::$DATA',
  'id_rsa.bak',
  'x/server.key.old',
  'config/SECRETS.yaml',
  'infra/terraform.tfstate.backup',
  'a/.SSH/known_hosts',
  'a\\.aws\\credentials',
];
const plain = [
  '.env.example',
  '.env.local.sample',
  'env.ts',
  'id_rsa.pub',
  'keyboard.ts',
  'monkey',
  'pem.md',
  'src/environment.ts',
  'notes.bak',
  'secrets.md',
  'docker/config.json',
];

test.for(secrets)('%s is secret', (path) => expect(isSecret(path)).toBe(true));
test.for(plain)('%s is not secret', (path) => expect(isSecret(path)).toBe(false));

test('reading is refused by name, and through a harmless link to it', async () => {
  const folder = await folderWith({ '.env': 'KEY=hidden', '.env.example': 'KEY=' });
  await symlink('.env', join(folder, 'notes.txt'));
  for (const path of ['.env', './.env', 'notes.txt']) {
    const result = await call(readFileTool(), { path }, contextIn(folder));
    expect(result).toMatchObject({
      status: 'error',
      output: `${path} usually holds keys or passwords: tools neither read nor write it`,
    });
  }
  expect(await call(readFileTool(), { path: '.env.example' }, contextIn(folder))).toMatchObject({
    status: 'completed',
    output: 'KEY=',
  });
});

test('no way to write the path leads to one: dots, case, a linked folder, a link to a link', async () => {
  const folder = await folderWith({
    '.ssh/config': 'Host hidden',
    'docs/a.md': '',
    'sub/.ENV': 'KEY=hidden',
  });
  await symlink('.ssh', join(folder, 'plain'));
  await symlink('plain/config', join(folder, 'again'));
  for (const path of ['docs/../.ssh/config', 'plain/config', 'again', 'plain/../.ssh/./config', 'sub/.ENV']) {
    expect(await call(readFileTool(), { path }, contextIn(folder)), path).toMatchObject({
      status: 'error',
      output: expect.stringContaining('usually holds keys') as string,
    });
    await expect(writeFileTool().question!({ path, content: '' }, contextIn(folder)), path).rejects.toMatchObject({
      code: 'not_allowed',
    });
  }
});

test('grep passes over them, and says so when one is named', async () => {
  const folder = await folderWith({ '.env': 'KEY=hidden', 'a.txt': 'KEY=shown' });
  expect((await call(grepTool(), { pattern: 'KEY' }, contextIn(folder))).output).toBe('a.txt:1:KEY=shown');
  const named = await call(grepTool(), { pattern: 'KEY', path: '.env' }, contextIn(folder));
  expect(named).toMatchObject({ status: 'error' });
  expect(named.output).not.toContain('hidden');
});

test('a write is refused before anyone is asked, so that no diff shows the old content', async () => {
  const folder = await folderWith({ '.env': 'KEY=hidden' });
  const tool = writeFileTool();
  await expect(tool.question!({ path: '.env', content: '' }, contextIn(folder))).rejects.toMatchObject({
    code: 'not_allowed',
  });
  expect(await call(tool, { path: '.env', content: '' }, contextIn(folder))).toMatchObject({
    status: 'error',
  });
});
