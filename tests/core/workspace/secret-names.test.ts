/** Files that hold keys are neither read, searched nor written, under any name that leads to them. */
import { link, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { grepTool } from '#core/tools/grep.ts';
import { readFileTool } from '#core/tools/reading/read-file.ts';
import { isSecret } from '#core/workspace/secret-names.ts';
import { writeFileTool } from '#core/tools/write-file.ts';
import { WAYS } from '../../support/searching.ts';
import { call, contextIn, folderWith, workspaceIn } from '../../support/workspace.ts';

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
  '.env-production',
  '.env_local',
  '.Env.Development.Local',
  'env.prod',
  '.dev.vars',
  '.config/gcloud/application_default_credentials.json',
  '.config/gh/hosts.yml',
  '.oci/config',
  'client_secret_4711.json',
  'my-app-firebase-adminsdk-x1.json',
  '.docker/config.json',
  '.kube/config',
  'kubeconfig',
  '.gradle/gradle.properties',
  '.m2/settings.xml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.mongoshrc.js',
  '.bash_history',
  '.python_history',
  '.psql_history',
  'fish_history',
  '.config/Slack/Cookies',
  '.mozilla/firefox/x/logins.json',
  'Login Data',
  'Library/Keychains/login.keychain-db',
  'apns.p8',
  'vault.kdbx',
  'secret.gpg',
  'backup.age',
  'vpn.ovpn',
  'prod.tfvars',
  'prod.auto.tfvars.json',
  'id_rsa-1',
  'server.key (copy)',
  '.credentials.json',
  'instance.json',
  'proc/4711/environ',
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
  '.env-example',
  '.env_template',
  'src/env.local.ts',
  'src/credentials/index.ts',
  'credentials.ts',
  'locales/en/auth.json',
  'inventory/hosts.yml',
  'gradle.properties',
  'tests/instance.json.ts',
  'src/history.ts',
  'public.age.md',
  'venv/certifi/cacert.pem',
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

test.each(WAYS)('grep passes over them, and says so when one is named: %s', async (_, way) => {
  const folder = await folderWith({ '.env': 'KEY=hidden', 'a.txt': 'KEY=shown' });
  expect((await call(grepTool(), { pattern: 'KEY' }, contextIn(folder, undefined, way))).output).toBe(
    'a.txt:1:KEY=shown',
  );
  const named = await call(grepTool(), { pattern: 'KEY', path: '.env' }, contextIn(folder));
  expect(named).toMatchObject({ status: 'error' });
  expect(named.output).not.toContain('hidden');
});

test('a hard link to one counts as it, in the workspace and in the home of the person', async () => {
  const home = await folderWith({ '.ssh/id_work': 'hidden', '.netrc': 'hidden' });
  const folder = await folderWith({ 'app/.env': 'KEY=hidden', 'a.txt': 'KEY=shown' });
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  await link(join(folder, 'app/.env'), join(folder, 'notes.txt'));
  await link(join(home, '.ssh/id_work'), join(folder, 'work.txt'));
  await link(join(home, '.netrc'), join(folder, 'net.txt'));
  await link(join(folder, 'a.txt'), join(folder, 'b.txt'));
  for (const path of ['notes.txt', 'work.txt', 'net.txt']) {
    expect(await call(readFileTool(), { path }, contextIn(folder)), path).toMatchObject({
      status: 'error',
      output: expect.stringContaining('no tool reaches') as string,
    });
    await expect(writeFileTool().question!({ path, content: '' }, contextIn(folder)), path).rejects.toMatchObject({
      code: 'not_allowed',
    });
  }
  expect(await call(readFileTool(), { path: 'b.txt' }, contextIn(folder))).toMatchObject({ output: 'KEY=shown' });
  for (const [, way] of WAYS) {
    const found = await call(grepTool(), { pattern: 'KEY' }, contextIn(folder, undefined, way));
    expect(found.output).toBe('a.txt:1:KEY=shown\nb.txt:1:KEY=shown');
  }
});

test("the person's own patterns count: of names and of paths, in any case", async () => {
  const folder = await folderWith({ 'deploy/tokens/prod.txt': 'hidden', 'a/Team.Vault': 'hidden', 'b.txt': 'shown' });
  const place = { file: '/home/config.toml', line: 7 };
  const workspace = workspaceIn(folder, { secrets: { patterns: ['deploy/tokens/**', '*.vault'], place } });
  const context = contextIn(workspace);
  for (const path of ['deploy/tokens/prod.txt', 'a/Team.Vault'])
    expect(await call(readFileTool(), { path }, context), path).toMatchObject({
      status: 'error',
      output: `${path} is in permissions.secret_files (/home/config.toml:7): tools neither read nor write it`,
    });
  const known = await call(readFileTool(), { path: 'deploy/tokens/.env' }, context);
  expect(known.output).toContain('usually holds keys or passwords');
  for (const [, way] of WAYS) {
    const found = await call(grepTool(), { pattern: 'hidden|shown' }, contextIn(workspace, undefined, way));
    expect(found.output).toBe('b.txt:1:shown');
  }
});
