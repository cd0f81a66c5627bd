/** The wall around a command: whatever it builds in the workspace, it reads and changes nothing outside the allowlist. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_SANDBOX } from '#core/settings/sandbox-settings.ts';
import { Git } from '#core/workspace/git.ts';
import { NO_OPTIONS, type Sandbox } from '#core/workspace/shell/sandbox.ts';
import { runShell, type ShellCommand } from '#core/workspace/shell/shell-process.ts';
import { sandbox, shellIn, skipped, words } from '../core/workspace/shell/support.ts';
import { Random } from '../soak/random.ts';
import { inFullRun, TEST_SEED } from '../support/samples.ts';
import { workspaceIn } from '../support/workspace.ts';

const SECRETS = ['.config/triad/key', '.ssh/id_ed25519', '.aws/credentials', 'notes/private.txt', '.gitconfig'];

/** A person's home folder with secrets, and a workspace that is a repository. */
async function makeHome(prefix = '/var/tmp/triad-sandbox-') {
  // Outside of TMPDIR, which may be in memory.
  const root = await realpath(await mkdtemp(prefix));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [home, folder] = [join(root, 'home'), join(root, 'home/project')];
  for (const path of SECRETS) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), `[user]\n\tname = HIDDEN ${path}\n[credential]\n\thelper = HIDDEN\n`);
  }
  await promisify(execFile)('git', ['init', '-q', folder]);
  const own = [join(home, '.config/triad')];
  const run = async (command: string, more: Partial<ShellCommand> = {}): Promise<string> => {
    const workspace = workspaceIn(folder, { own });
    const shell = await shellIn({ workspace, sandbox, env: { ...process.env, HOME: home }, ...more });
    return (await runShell({ ...shell, command })).output.head;
  };
  return { home, folder, run };
}

/** Everything in a folder but the workspace, with its content, permissions and time of change. */
async function readState(folder: string, skipped: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  const outside = entries.filter((path) => !join(folder, path).startsWith(skipped)).sort();
  return Promise.all(
    outside.map(async (path) => {
      const { mode, mtimeMs } = await lstat(join(folder, path));
      return `${path} ${mode} ${mtimeMs} ${await readFile(join(folder, path), 'utf8').catch(() => '')}`;
    }),
  );
}

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

const NAMES = [
  ...['.git', '.git/modules', '.git/modules/m', '.git/worktrees/x', '.git/hooks', '.git/config', '.git/info', 'hooks'],
  ...['.ssh', '.aws', '.env', '.triad', 'node_modules', 'node_modules/.bin', 'src', '.config/triad', '.claude'],
] as const;
const TARGETS = ['.config/triad', '.ssh', '.aws', 'notes', '.gitconfig', '', '..'] as const;

/** Lines of a script that builds a tree of folders, files and links below a folder, replacing what is there. */
function buildTree(random: Random, home: string, folder: string): string[] {
  return Array.from({ length: random.between(3, 8) }, () => {
    const path = `${folder}/${random.pick(NAMES)}`;
    const target = `${home}/${random.pick(TARGETS)}`;
    const make = random.pick([
      `ln -sfn '${target}' '${path}'`,
      `ln -sfn '${target}' '${path}'`,
      `mkdir -p '${path}'`,
      `printf 'gitdir: ${target}\\n' > '${path}'`,
      `mv '${folder}/${random.pick(NAMES)}' '${path}'`,
    ]);
    return `{ mkdir -p '${dirname(path)}'; rm -rf '${path}'; ${make}; } 2>/dev/null`;
  });
}

/** Reads whatever is reachable through links, and writes into every folder. */
const REACH =
  'find -L . -type f -exec cat {} + 2>/dev/null; find -L . -type d -exec touch {}/planted \\; 2>/dev/null; cat ~/.ssh/* ~/.aws/* ~/.config/triad/* ~/notes/* 2>/dev/null; true';

describe.skipIf(skipped)(`a command in the sandbox (${words})`, () => {
  test('reads and changes nothing outside through trees of links in the place of known names', async () => {
    const { home, folder, run } = await makeHome();
    const before = await readState(home, folder);
    const random = new Random('trees', TEST_SEED);
    const treesEach = 30;
    for (let trees = 0; trees < (inFullRun ? 500 : 30); trees += treesEach) {
      const lines = Array.from({ length: treesEach }, (_, index) => buildTree(random, home, `t${index}`)).flat();
      await run(lines.join('\n'));
      for (const write of ['files', 'all', 'nothing'] as const) {
        const output = await run(`${REACH}\n${lines.slice(0, 20).join('\n')}\n${REACH}`, { write });
        expect(output).not.toContain('HIDDEN');
      }
      // A repository whose hooks are a link is read only in the sandbox.
      await promisify(execFile)('sh', ['-c', 'rm -rf t*'], { cwd: folder });
    }
    expect(await readState(home, folder)).toEqual(before);
  });

  test('gets no folder through a name that a background command swaps for a link', async () => {
    const { home, folder, run } = await makeHome();
    const before = await readState(home, folder);
    const stop = new AbortController();
    const swap = `mkdir -p a/.git a/real; ln -sfn ${join(home, 'notes')} a/link; while :; do mv -T a/.git a/real/git; mv -T a/link a/.git; sleep 0.00$((RANDOM % 10)); mv -T a/.git a/link; mv -T a/real/git a/.git; sleep 0.0$((RANDOM % 4)); done 2>/dev/null`;
    const swapping = run(swap, { signal: stop.signal });
    let starts = 0;
    for (let tries = 0; tries < (inFullRun ? 300 : 10); tries += 1) {
      const command = 'cat a/.git/private.txt; touch a/.git/planted; echo started';
      const write = tries % 2 === 0 ? 'all' : 'files';
      const output = await run(command, { write }).catch((error: { code: string }) => error.code);
      expect(output).toMatch(/started|internal/);
      expect(output).not.toContain('HIDDEN');
      if (output.includes('started')) starts += 1;
    }
    stop.abort();
    await swapping.catch(() => undefined);
    expect(starts).toBeGreaterThan(0);
    expect(await readState(home, folder)).toEqual(before);
  });

  test.each([
    ['a secret is moved', 'mkdir sub; echo HIDDEN > sub/.env', 'mv sub other; mkdir sub; touch sub/.env'],
    ['a repository becomes a link', 'mkdir -p sub/.git', 'rmdir sub/.git; ln -s ../../notes sub/.git'],
  ])('is started anew if %s between the scan and the mounts', async (_, prepare, change) => {
    const { home, folder, run } = await makeHome();
    const before = await readState(home, folder);
    const runOutside = (script: string) => promisify(execFile)('sh', ['-c', script], { cwd: folder });
    await runOutside(prepare);
    let launches = 0;
    const late: Sandbox = {
      ...sandbox!,
      async launch(...place) {
        const launch = await sandbox!.launch(...place);
        launches += 1;
        if (launches === 1) await runOutside(change);
        return launch;
      },
    };
    const read = 'cat sub/.env other/.env sub/.git/private.txt; touch sub/.git/planted; echo started';
    const output = await run(read, { sandbox: late });
    expect([launches, output]).toEqual([2, expect.stringContaining('started')]);
    expect(output).not.toContain('HIDDEN');
    expect(await readState(home, folder)).toEqual(before);
  });

  test('commits in a worktree, in a submodule and below a repository whose hooks and settings it cannot change', async () => {
    const { home, folder } = await makeHome();
    const git = 'git -c user.name=a -c user.email=a@b -c protocol.file.allow=always';
    const runOutside = (script: string) => promisify(execFile)('sh', ['-ec', script], { cwd: home });
    await runOutside(`git init -q lib; ${git} -C lib commit -q --allow-empty -m first; git init -q main
      cd main; ${git} submodule --quiet add ../lib sub; ${git} commit -qm sub; mkdir below; echo b > b.txt; git add b.txt; ${git} commit -qm b; git worktree add -q ../tree`);
    const plant = (path: string) =>
      `echo planted >> ${path}/config; mkdir -p ${path}/hooks; echo planted > ${path}/hooks/x`;
    const commit = `echo a > a.txt && ${git} add a.txt && ${git} commit -qm one && echo done; git status --short; ${plant('$(git rev-parse --git-common-dir)')}`;
    for (const name of ['main/sub', 'main/below', 'tree']) {
      const workspace = workspaceIn(join(home, name));
      const shell = await shellIn({ workspace, sandbox, env: { ...process.env, HOME: home } });
      const { output } = await runShell({ ...shell, command: commit });
      // Files beside the workspace are no deleted ones.
      expect([name, output.head]).toEqual([name, expect.stringMatching(/^done\n(?! D)/)]);
    }
    const { stdout } = await runOutside('grep -r planted main/.git lib/.git || true');
    expect(stdout).toBe('');
    // A git directory that does not name the workspace is not mounted.
    await writeFile(join(folder, 'key'), '');
    await rm(join(folder, '.git'), { recursive: true });
    await writeFile(join(folder, '.git'), `gitdir: ${join(home, '.config/triad')}\n`);
    const shell = await shellIn({ workspace: workspaceIn(folder), sandbox, env: { ...process.env, HOME: home } });
    expect((await runShell({ ...shell, command: 'ls ~/.config/triad; git status' })).output.head).not.toContain('key');
  });

  test('mounts no folder that a planted git directory names', async () => {
    const { home, folder, run } = await makeHome();
    await rm(join(folder, '.git'), { recursive: true });
    await run(
      `mkdir evil; echo 'gitdir: evil' > .git; echo ${folder}/.git > evil/gitdir; echo ${home}/notes > evil/commondir`,
    );
    expect(await run(`cat ${home}/notes/*; touch ${home}/notes/new`)).not.toContain('HIDDEN');
    expect(await readdir(join(home, 'notes'))).toEqual(['private.txt']);
  });

  test('sees no folder that a link in the workspace names as one of a program', async () => {
    const { home, folder, run } = await makeHome();
    await mkdir(join(home, 'bin'));
    await symlink(join(folder, 'tool.js'), join(home, 'bin/tool'));
    const PATH = [process.env['PATH'], join(folder, 'bin'), join(home, 'bin')].join(':');
    const env = { ...process.env, HOME: home, PATH };
    await run(`mkdir bin; ln -s ${home}/.ssh/id_ed25519 bin/x; ln -s ${home}/.aws/credentials tool.js`);
    expect(await run(`cat ${home}/.ssh/* ${home}/.aws/*`, { env })).not.toContain('HIDDEN');
  });

  test.each(['node_modules', 'below/.git', String.raw`$'\xff'`])(
    'moves no secret to %s, for a later one to read',
    async (name) => {
      const { folder, run } = await makeHome();
      await mkdir(join(folder, 'a/b'), { recursive: true });
      await mkdir(join(folder, 'below'));
      await writeFile(join(folder, 'a/b/.env'), 'HIDDEN');
      await run(`mv a ${name}; mv a/b ${name}`);
      expect(await run(`cat ${name}/.env ${name}/b/.env`)).not.toContain('HIDDEN');
    },
  );

  // Only root can write there.
  test.skipIf(process.getuid?.() !== 0)(
    'reads nothing in a home folder and a folder of Triad that are in a folder of the system',
    async () => {
      const { home, folder, run } = await makeHome('/opt/triad-sandbox-');
      expect(await run(`cat ${home}/.ssh/* ${home}/.config/triad/*; ls ${folder}/..`)).not.toContain('HIDDEN');
      const env = { ...process.env, HOME: '/nonexistent' };
      expect(await run(`cat ${home}/.config/triad/*`, { env })).not.toContain('HIDDEN');
    },
  );

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

  test('replaces no git directory of a submodule or worktree, and no hooks that are links', async () => {
    const { home, folder, run } = await makeHome();
    const git = 'git -c user.name=a -c user.email=a@b -c protocol.file.allow=always';
    const runOutside = (script: string) => promisify(execFile)('sh', ['-ec', script], { cwd: home });
    await runOutside(`git init -q lib; ${git} -C lib commit -q --allow-empty -m first
      cd project; ${git} submodule --quiet add ../lib sub; ${git} commit -qm one; ${git} worktree add -q ../tree; rm -r .git/modules/sub/hooks`);
    await run(`cd .git; for path in modules worktrees modules/sub worktrees/tree; do cp -r $path /tmp/copy; mv $path moved && cp -r /tmp/copy $path; rm -rf /tmp/copy; done
      rm -rf moved; mkdir -p modules/sub/hooks; echo planted | tee modules/sub/hooks/x modules/sub/config worktrees/tree/commondir worktrees/tree/gitdir`);
    const planted = await runOutside('grep -rl planted project/.git || true');
    expect(planted.stdout).toBe('');
    // A git directory whose settings are links is read only.
    await runOutside('cd project/.git; mv hooks ../hooks; ln -s ../hooks hooks');
    await run('rm .git/hooks; mkdir .git/hooks; echo planted > .git/hooks/x');
    expect((await lstat(join(folder, '.git/hooks'))).isSymbolicLink()).toBe(true);
  });

  test('reads no secret in a folder that a command closed before', async () => {
    const { home, folder } = await makeHome();
    await mkdir(join(folder, 'a/b'), { recursive: true });
    await mkdir(join(folder, 'c'));
    for (const name of ['a/b/.env', 'c/.env']) await writeFile(join(folder, name), 'HIDDEN');
    // Root can search every folder.
    const [uid, gid] = process.getuid!() === 0 ? [65_534, 65_534] : [process.getuid!(), process.getgid!()];
    await promisify(execFile)('chown', ['-R', `${uid}:${gid}`, dirname(home)]);
    const program = join(import.meta.dirname, '../core/workspace/shell/child/run-one.ts');
    const env = { ...process.env, HOME: home, TMPDIR: dirname(home) };
    const run = async (command: string) => {
      await promisify(execFile)(process.execPath, [program, folder, join(home, 'output'), command], { uid, gid, env });
      const output = await readFile(join(home, 'output'), 'utf8');
      await rm(join(home, 'output'));
      return output;
    };
    expect(await run('chmod 444 a; chmod 000 c; chmod 444 .git; echo ran')).toBe('ran\n');
    const output = await run('chmod 755 a c .git; cat a/b/.env c/.env; echo planted >> .git/config; echo ran');
    expect(output).toMatch(/ran\n$/);
    expect(output).not.toContain('HIDDEN');
    expect(await readFile(join(folder, '.git/config'), 'utf8')).not.toContain('planted');
  });

  test('starts after one made paths that are too long, and says so after one made too many secrets', async () => {
    const { folder, run } = await makeHome();
    onTestFinished(async () => void (await promisify(execFile)('rm', ['-rf', folder])));
    await run('name=$(printf a%.0s {1..250}); for i in {1..20}; do mkdir $name; cd $name; done; touch .env');
    expect(await run('echo started')).toBe('started\n');
    await run('mkdir many; cd many; touch .env.{1..2001}');
    await expect(run('true')).rejects.toMatchObject({ code: 'limit_reached' });
  });

  test('inherits no descriptor of the program', async () => {
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

  test('sees an empty home folder but for toolchains, caches and harmless settings of git', async () => {
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
    expect(await run('echo kept > $npm_config_cache/a', { options, env })).toBe('');
    await run('rmdir $PIP_CACHE_DIR $UV_CACHE_DIR; touch $PIP_CACHE_DIR; ln -s nowhere $UV_CACHE_DIR', {
      options,
      env,
    });
    expect(await run('cat $npm_config_cache/a; echo lost > ~/lost; ls ~/.config/triad', { options, env })).toBe(
      'kept\ncaches\n',
    );
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

  test.runIf(['x64', 'arm64'].includes(process.arch))(
    'reaches the network and no Unix socket, unless the settings allow them',
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
  );

  test('gets none of 60 variables with secrets, and no value of one under a harmless name', async () => {
    const { home, run } = await makeHome();
    const value = 'HIDDEN-0123456789';
    const variables = Object.fromEntries(SECRET_VARIABLES.map((name) => [name, value]));
    const env = { PATH: process.env['PATH'], HOME: home, ...variables, TZ: 'Europe/Paris', LC_NAME: value, CI: value };
    const proxies = { HTTPS_PROXY: `http://me:${value}@proxy:1`, http_proxy: `http://${value}@proxy:1` };
    const output = await run("env; tr '\\0' '\\n' < /proc/self/environ", { env: { ...env, ...proxies } });
    expect(SECRET_VARIABLES).toHaveLength(60);
    expect(output).toContain('TZ=Europe/Paris');
    expect(output).not.toContain('HIDDEN');
  });
});
