/** What others may write is refused, with one line that names it and the command that mends it. */
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { writeFault } from '#core/base/write-fault.ts';
import { refuseWriteFault, createUnwritableFolderError } from '#core/base/write-refusals.ts';
import { claimOwnership, findOwner } from '#core/host/ownership/ownership.ts';
import { answerPings } from '#core/host/ownership/ping-server.ts';
import { connect } from '#hosts/connect.ts';
import { startConfigured } from '../../support/settings/configured.ts';
import { folderWith } from '../../support/workspace.ts';

const { signal } = new AbortController();
const isPosix = process.getuid !== undefined;
let folder: string;
beforeEach(async () => {
  folder = await folderWith({
    'config.toml': '[providers]\nactive = "demo"\n',
    'agents/a.md': 'x',
    'trust.json': '{}',
  });
});

const refused = (path: string, mode: string, mends = 'go-w') => ({
  code: 'not_allowed',
  message: `Others may write ${path} (mode ${mode}): run "chmod ${mends} ${path}"`,
});

test.runIf(isPosix).each(['666', '602', '620'])('rejects a settings file of mode %s', async (mode) => {
  const file = join(folder, 'config.toml');
  const runtime = await startConfigured(folder);
  await chmod(file, Number.parseInt(mode, 8));
  const expected = refused(file, `0${mode}`);
  await expect(startConfigured(folder)).rejects.toMatchObject(expected);
  const change = { path: 'providers.active', value: 'anthropic' };
  await expect(runtime.request('settings.set', change)).rejects.toMatchObject(expected);
  // The command of the message mends it.
  const command = /run "(.*)"$/.exec(expected.message)?.[1] ?? '';
  execFileSync('sh', ['-c', command]);
  const { provider } = await (await startConfigured(folder)).request('app.state', {});
  expect(provider.name).toBe('demo');
});

test.runIf(isPosix)('rejects a folder that everyone can write, even before the file exists', async () => {
  const runtime = await startConfigured(folder);
  await chmod(folder, 0o777);
  const expected = refused(folder, '0777');
  for (const name of ['config.toml', 'secrets.json', 'instance.json'])
    await expect(refuseWriteFault(join(folder, name))).rejects.toMatchObject(expected);
  await expect(startConfigured(folder)).rejects.toMatchObject(expected);
  await expect(runtime.request('provider.set', { name: 'anthropic', apiKey: 'b' })).rejects.toMatchObject(expected);
  await expect(claimOwnership(folder, { signal })).rejects.toMatchObject(expected);
});

test.runIf(isPosix)('rejects an instance file that others can write, instead of connecting to its server', async () => {
  // It proves that it lives, as it wrote the token itself.
  const trap = await answerPings('a'.repeat(64));
  onTestFinished(() => trap.close());
  const file = join(folder, 'instance.json');
  await writeFile(file, JSON.stringify(trap.instance));
  expect(await findOwner(folder, signal), 'so it would be believed').toEqual(trap.instance);
  await chmod(file, 0o666);
  await expect(claimOwnership(folder, { signal })).rejects.toMatchObject(refused(file, '0666'));
  await expect(findOwner(folder, signal)).rejects.toMatchObject(refused(file, '0666'));
});

test.runIf(isPosix)('rejects key files, trust files and agent folders that others can write', async () => {
  const runtime = await startConfigured(folder);
  const secrets = join(folder, 'secrets.json');
  await writeFile(secrets, '{"a": "b"}');
  await chmod(secrets, 0o622);
  await expect(runtime.request('app.state', {})).rejects.toMatchObject(refused(secrets, '0622', '600'));
  expect((await stat(secrets)).mode & 0o777, 'left for the person to see').toBe(0o622);
  await chmod(join(folder, 'trust.json'), 0o666);
  await expect(runtime.request('trust.list', {})).rejects.toMatchObject({ code: 'not_allowed' });
  const messageOf = async () => (await runtime.request('agents.files', {})).at(-1)?.errors[0]?.message;
  const agents = join(folder, 'agents');
  expect(await messageOf()).not.toContain('Others may write');
  await chmod(agents, 0o775);
  expect(await messageOf()).toContain(refused(agents, '0775').message);
});

test.runIf(isPosix).each([
  ['config.toml', 'go-w'],
  ['prices.toml', 'go-w'],
  ['secrets.json', '600'],
  ['secrets.safe.json', '600'],
  ['trust.json', 'go-w'],
  ['instance.json', 'go-w'],
])('no host starts if others can write %s, even if the host does not read it', async (name, mends) => {
  const file = join(folder, name);
  await writeFile(file, '');
  await chmod(file, 0o666);
  const note = () => undefined;
  const env = { TRIAD_HOME: folder, TRIAD_STORE: 'mem://', ANTHROPIC_API_KEY: 'sk-test' };
  const starting = connect({ env, folder, signal, works: false, note });
  await expect(starting).rejects.toMatchObject(refused(file, '0666', mends));
});

test.runIf(isPosix)('checks the target of a link and its folder', async () => {
  const elsewhere = await folderWith({ 'real.toml': '' });
  const link = join(await folderWith({}), 'config.toml');
  await symlink(join(elsewhere, 'real.toml'), link);
  expect(await writeFault(link)).toBeNull();
  await chmod(elsewhere, 0o1777);
  expect(await writeFault(link), 'nobody else can replace it there').toBeNull();
  await chmod(elsewhere, 0o777);
  expect(await writeFault(link)).toMatchObject({ what: `Others may write ${elsewhere} (mode 0777)` });
});

test.runIf(process.getuid?.() === 0)('rejects a file of another user', async () => {
  const file = join(folder, 'config.toml');
  await chown(file, 12_345, 0);
  expect(await writeFault(file)).toEqual({
    what: `${file} belongs to another user`,
    remedy: `run "sudo chown 0 ${file}"`,
  });
});

test.runIf(isPosix)('the suggested command works for a path with special characters', async () => {
  const odd = join(folder, `it's $HOME here`);
  await mkdir(odd);
  await chmod(odd, 0o777);
  const { remedy } = (await writeFault(odd)) ?? { remedy: '' };
  execFileSync('sh', ['-c', /^run "(.*)"$/.exec(remedy)?.[1] ?? '']);
  expect(await writeFault(odd)).toBeNull();
});

test.for([
  ['ENOSPC', 'The disk of /data is full: free some space, or set TRIAD_HOME to another disk.'],
  ['EROFS', 'The disk of /data is read-only: make it writable, or set TRIAD_HOME to another disk.'],
  ['EDQUOT', 'Your quota on the disk of /data is used up: free some space, or set TRIAD_HOME to another disk.'],
  [
    'EACCES',
    'The folder /data cannot be written (EACCES): check its owner and permissions, or set TRIAD_HOME to another folder.',
  ],
] as const)('the error after %s names the folder and the remedy', ([code, message]) => {
  const error = createUnwritableFolderError('/data', Object.assign(new Error('failed'), { code }));
  expect(error).toMatchObject({ code: 'store_unwritable', message });
});
