/** Attacks on the machine around the sandbox: the home folder, descriptors, sockets and variables. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SANDBOX } from '#core/settings/sandbox-settings.ts';
import { Git } from '#core/workspace/git.ts';
import { NO_OPTIONS } from '#core/workspace/shell/sandbox.ts';
import { runShell } from '#core/workspace/shell/shell-process.ts';
import { sandbox, shellIn, skipped, words } from '../core/workspace/shell/support.ts';
import { workspaceIn } from '../support/workspace.ts';
import { attack } from './attacks.ts';
import { makeHome } from './home.ts';

const SECRET_VARIABLES = [
  ...['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'TRIAD_STORE', 'GITHUB_TOKEN', 'GH_TOKEN', 'GITLAB_TOKEN', 'NPM_TOKEN'],
  ...['NODE_AUTH_TOKEN', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AZURE_CLIENT_SECRET'],
  ...['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_API_KEY', 'CLOUDFLARE_API_TOKEN', 'DIGITALOCEAN_ACCESS_TOKEN'],
  ...['HEROKU_API_KEY', 'FLY_API_TOKEN', 'VERCEL_TOKEN', 'NETLIFY_AUTH_TOKEN', 'SUPABASE_SERVICE_ROLE', 'STRIPE_SK'],
  ...[
    'TWILIO_AUTH',
    'SENDGRID_KEY',
    'SLACK_WEBHOOK',
    'SLACK_BOT_TOKEN',
    'DISCORD_WEBHOOK',
    'TELEGRAM_BOT',
    'SENTRY_DSN',
  ],
  ...[
    'SENTRY_AUTH_TOKEN',
    'DATADOG_API',
    'NEW_RELIC_LICENSE',
    'DATABASE_URL',
    'REDIS_URL',
    'MONGODB_URI',
    'PGPASSWORD',
  ],
  ...['PGPASSFILE', 'MYSQL_PWD', 'JWT_SIGNING', 'SESSION_COOKIE', 'COOKIE', 'ENCRYPTION', 'MASTER', 'VAULT_ADDR_TOKEN'],
  ...['KUBECONFIG', 'DOCKER_AUTH_CONFIG', 'DOCKER_HOST', 'TF_VAR_password', 'PULUMI_CONFIG', 'SONAR_LOGIN', 'CODECOV'],
  ...['HF_TOKEN', 'WANDB', 'PYPI_UPLOAD', 'TWINE_PASSWORD', 'CARGO_REGISTRY_TOKEN', 'GPG_PASSPHRASE', 'SSH_AUTH_SOCK'],
  ...['SSH_ASKPASS', 'NODE_OPTIONS'],
];

describe.skipIf(skipped)(`the sandbox (${words})`, () => {
  attack('descriptors that the program inherited', async () => {
    const { home, folder } = await makeHome();
    const fd = openSync(home, 'r');
    const program = join(import.meta.dirname, '../core/workspace/shell/child/run-one.ts');
    const stdio = [...Array.from({ length: 200 }, (_, index) => (index < 3 ? ('ignore' as const) : null)), fd];
    const command = 'cat /proc/self/fd/200/.ssh/id_ed25519 > copy; ls /proc/self/fd > fds; touch /proc/self/fd/200/new';
    const child = spawn(process.execPath, [program, folder, join(home, 'output'), command], {
      stdio,
      env: { ...process.env, HOME: home },
    });
    await once(child, 'exit');
    expect(await readFile(join(folder, 'fds'), 'utf8')).not.toContain('200');
    expect(await readFile(join(folder, 'copy'), 'utf8')).toBe('');
    expect(await readdir(home)).not.toContain('new');
  });

  attack('files of the home folder', async () => {
    const { home, run } = await makeHome();
    const files = {
      '.nvm/versions/node': 'node',
      '.cargo/config.toml': 'cargo',
      '.cargo/credentials.toml': 'HIDDEN',
      'tools/bin/tool': '#!/bin/sh\necho tool',
      '.gitconfig':
        '[user]\n\tname = A \\"B\\" \\\\ C\n[credential]\n\thelper = HIDDEN\n[core]\n\tautocrlf = input\n\tsshCommand = HIDDEN\n',
    };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text, { mode: 0o755 });
    }
    const env = { ...process.env, HOME: home, PATH: `${process.env['PATH']}:${join(home, 'tools/bin')}` };
    const options = { ...NO_OPTIONS, caches: join(home, '.config/triad/caches'), git: new Git(env) };
    const list = 'cd; find . -path ./project -prune -o -path ./.config/triad/caches -prune -o -type f -print | sort';
    expect((await run(list, { options, env })).trim().split('\n')).toEqual([
      ...['./.cargo/config.toml', './.gitconfig', './.nvm/versions/node', './tools/bin/tool'],
    ]);
    expect(await run('tool; git config --global --list', { options, env })).toBe(
      'tool\nuser.name=A "B" \\ C\ncore.autocrlf=input\n',
    );
    await run('echo planted | tee ~/tools/bin/tool ~/.nvm/new ~/.cargo/config.toml ~/.gitconfig', { options, env });
    for (const [path, text] of Object.entries(files)) expect(await readFile(join(home, path), 'utf8')).toBe(text);
    expect(await readdir(join(home, '.nvm'))).toEqual(['versions']);
    expect(await run('echo kept > $npm_config_cache/a', { options, env })).toBe('');
    await run('rmdir $PIP_CACHE_DIR $UV_CACHE_DIR; touch $PIP_CACHE_DIR; ln -s nowhere $UV_CACHE_DIR', {
      options,
      env,
    });
    expect(await run('cat $npm_config_cache/a; echo lost > ~/lost; ls ~/.config/triad', { options, env })).toBe(
      'kept\ncaches\n',
    );
  });

  attack(
    'sockets of other programs',
    async () => {
      const { home, run } = await makeHome();
      const env = { ...process.env, HOME: home };
      const listen = (place: string) =>
        `"${process.execPath}" -e "require('net').createServer().listen(${place}, () => process.exit(0)).on('error', (e) => (console.log(e.code), process.exit(1)))" && echo listens`;
      const command = `${listen("0, '127.0.0.1'")}; ${listen("'a.sock'")}; rm -f a.sock; python3 -c "import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)" 2>/dev/null && echo datagrams`;
      expect(await run(command, { env, network: true })).toBe('listens\nEAFNOSUPPORT\n');
      const settings = { ...DEFAULT_SANDBOX, unix_sockets: true };
      const options = { ...NO_OPTIONS, settings: () => settings };
      expect(await run(command, { env, network: true, options })).toContain('listens\nlistens\n');
    },
    ['x64', 'arm64'].includes(process.arch),
  );

  attack('variables with secrets', async (tries) => {
    const { home, run } = await makeHome();
    const value = 'HIDDEN-0123456789';
    const variables = Object.fromEntries(SECRET_VARIABLES.map((name) => [name, value]));
    const env = { PATH: process.env['PATH'], HOME: home, ...variables, TZ: 'Europe/Paris', LC_NAME: value, CI: value };
    const proxies = { HTTPS_PROXY: `http://me:${value}@proxy:1`, http_proxy: `http://${value}@proxy:1` };
    const output = await run("env; tr '\\0' '\\n' < /proc/self/environ", { env: { ...env, ...proxies } });
    expect(SECRET_VARIABLES).toHaveLength(tries);
    expect(output).toContain('TZ=Europe/Paris');
    expect(output).not.toContain('HIDDEN');
  });

  test('gets variables and files of the settings, but no secret', async () => {
    const { home, run } = await makeHome();
    const env = { ...process.env, HOME: home, MY_TOKEN: 'HIDDEN-0123456789' };
    const settings = {
      ...DEFAULT_SANDBOX,
      readable: ['~/notes', join(home, '.aws/credentials')],
      env: { MODE: 'test', COPY: env.MY_TOKEN },
    };
    const options = { ...NO_OPTIONS, settings: () => settings };
    const output = await run('echo $MODE $COPY; cat ~/notes/* ~/.aws/* ~/.ssh/*', { env, options });
    expect(output).toMatch(/^test\n/);
    expect(output).toContain('HIDDEN notes/private.txt');
    expect(output).toContain('HIDDEN .aws/credentials');
    expect(output).not.toMatch(/HIDDEN-|HIDDEN \.ssh/);
  });

  test('leaves no descriptor open, also if it cannot be started', async () => {
    const { home, folder, run } = await makeHome();
    for (const name of ['a', 'a/b', 'c']) await promisify(execFile)('git', ['init', '-q', join(folder, name)]);
    await writeFile(join(folder, 'a/.env'), '');
    const below = await shellIn({ workspace: workspaceIn(join(folder, 'a/b')), sandbox });
    const caches = join(home, 'caches');
    const options = { ...NO_OPTIONS, caches };
    await writeFile(caches, '');
    const countDescriptors = async () => (await readdir('/proc/self/fd')).length;
    await run('true');
    const before = await countDescriptors();
    for (let times = 0; times < 5; times += 1) {
      await run('true');
      await expect(run('true', { options })).rejects.toThrow('caches');
      await rm(below.file, { force: true });
      await runShell({ ...below, command: 'true' });
    }
    expect(await countDescriptors()).toBeLessThanOrEqual(before + 2);
  });

  test('starts with / as the home folder, and with thousands of folders in PATH', async () => {
    const { home, run } = await makeHome();
    expect(await run('cat ~/a; echo a > ~/a; cat ~/a; pwd', { env: { ...process.env, HOME: '/' } })).toMatch(
      /No such file.*\na\n.*project\n$/,
    );
    const folders = Array.from({ length: 4000 }, (_, index) => join(home, String(index)));
    await Promise.all(folders.map((path) => mkdir(path, { recursive: true })));
    const env = { PATH: `${process.env['PATH']}:${folders.join(':')}`, HOME: home };
    expect(await run('echo started', { env: { ...env, PATH: env.PATH.slice(0, 120_000) } })).toBe('started\n');
  });
});
