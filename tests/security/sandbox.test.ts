/** Attacks on the files that the sandbox hides or does not mount. */
import { execFile } from 'node:child_process';
import { link, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Git } from '#core/workspace/git.ts';
import { NO_OPTIONS, type Sandbox } from '#core/workspace/shell/sandbox.ts';
import { sandbox, skipped, words } from '../core/workspace/shell/support.ts';
import { Random } from '../soak/random.ts';
import { TEST_SEED } from '../support/samples.ts';
import { attack } from './attacks.ts';
import { longAttack } from './long-attack.ts';
import { GIT, makeHome, readState } from './home.ts';

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
  'find -L . -maxdepth 6 -type f -exec cat {} + 2>/dev/null; find -L . -maxdepth 6 -type d -exec touch {}/planted \\; 2>/dev/null; cat ~/.ssh/* ~/.aws/* ~/.config/triad/* ~/notes/* 2>/dev/null; true';

/** The same with secrets in the workspace, for commands of an ordinary user: root can search every folder. */
async function makeUserHome(secrets: readonly string[]) {
  const { home, folder } = await makeHome();
  for (const name of secrets) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), 'HIDDEN');
  }
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
  return { folder, run };
}

describe.skipIf(skipped)(`the sandbox (${words})`, () => {
  longAttack('trees of links in the place of known names', async (tries) => {
    const { home, folder, run, runOutside } = await makeHome();
    const before = await readState(home, folder);
    const random = new Random('trees', TEST_SEED);
    const treesEach = 30;
    for (let trees = 0; trees < tries; trees += treesEach) {
      const lines = Array.from({ length: treesEach }, (_, index) => buildTree(random, home, `t${index}`)).flat();
      await run(lines.join('\n'));
      for (const write of ['files', 'all', 'nothing'] as const) {
        const output = await run(`${REACH}\n${lines.slice(0, 20).join('\n')}\n${REACH}`, { write });
        expect(output).not.toContain('HIDDEN');
      }
      // A repository whose hooks are a link is read only in the sandbox.
      await runOutside('rm -rf project/t*');
    }
    expect(await readState(home, folder)).toEqual(before);
  });

  longAttack('trees of links that a background command builds', async (tries) => {
    const { home, folder, run } = await makeHome();
    const before = await readState(home, folder);
    const random = new Random('background trees', TEST_SEED);
    const stop = new AbortController();
    const lines = Array.from({ length: 40 }, (_, index) => buildTree(random, home, `t${index % 4}`)).flat();
    const building = run(`while :; do\n${lines.join('\n')}\nsleep 0.05; done`, { signal: stop.signal });
    let starts = 0;
    for (let tried = 0; tried < tries; tried += 1) {
      const write = random.pick(['files', 'all', 'nothing'] as const);
      const output = await run(`echo started; ${REACH}`, { write }).catch((error: { code: string }) => error.code);
      // A mount that was replaced meanwhile keeps the command from starting.
      expect(output).toMatch(/started|internal/);
      expect(output).not.toContain('HIDDEN');
      if (output.includes('started')) starts += 1;
    }
    stop.abort();
    await building.catch(() => undefined);
    expect(starts).toBeGreaterThan(0);
    expect(await readState(home, folder)).toEqual(before);
  });

  longAttack('a git directory that becomes a link while commands start', async (tries) => {
    const { home, folder, run } = await makeHome();
    const before = await readState(home, folder);
    const stop = new AbortController();
    const swap = `mkdir -p a/.git a/real; ln -sfn ${join(home, 'notes')} a/link; while :; do mv -T a/.git a/real/git; mv -T a/link a/.git; sleep 0.00$((RANDOM % 10)); mv -T a/.git a/link; mv -T a/real/git a/.git; sleep 0.0$((RANDOM % 4)); done 2>/dev/null`;
    const swapping = run(swap, { signal: stop.signal });
    let starts = 0;
    for (let tried = 0; tried < tries; tried += 1) {
      const command = 'cat a/.git/private.txt; touch a/.git/planted; echo started';
      const write = tried % 2 === 0 ? 'all' : 'files';
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

  attack('a secret or repository that is replaced between the scan and the mounts', async () => {
    const changes = [
      ['mkdir sub; echo HIDDEN > sub/.env', 'mv sub other; mkdir sub; touch sub/.env'],
      ['mkdir -p sub/.git', 'rmdir sub/.git; ln -s ../../notes sub/.git'],
    ];
    for (const [prepare, change] of changes) {
      const { home, folder, run, runOutside } = await makeHome();
      const before = await readState(home, folder);
      await runOutside(`cd project; ${prepare}`);
      let launches = 0;
      const late: Sandbox = {
        ...sandbox!,
        async launch(...place) {
          const launch = await sandbox!.launch(...place);
          launches += 1;
          if (launches === 1) await runOutside(`cd project; ${change}`);
          return launch;
        },
      };
      const read = 'cat sub/.env other/.env sub/.git/private.txt; touch sub/.git/planted; echo started';
      const output = await run(read, { sandbox: late });
      expect([launches, output]).toEqual([2, expect.stringContaining('started')]);
      expect(output).not.toContain('HIDDEN');
      expect(await readState(home, folder)).toEqual(before);
    }
  });

  attack('a link in a folder of programs', async () => {
    const { home, folder, run } = await makeHome();
    await mkdir(join(home, 'bin'));
    await symlink(join(folder, 'tool.js'), join(home, 'bin/tool'));
    const PATH = [process.env['PATH'], join(folder, 'bin'), join(home, 'bin')].join(':');
    const env = { ...process.env, HOME: home, PATH };
    await run(`mkdir bin; ln -s ${home}/.ssh/id_ed25519 bin/x; ln -s ${home}/.aws/credentials tool.js`);
    expect(await run(`cat ${home}/.ssh/* ${home}/.aws/*`, { env })).not.toContain('HIDDEN');
  });

  attack('a secret that is moved to a folder without a scan', async () => {
    for (const name of ['node_modules', 'below/.git', String.raw`$'\xff'`]) {
      const { folder, run } = await makeHome();
      await mkdir(join(folder, 'a/b'), { recursive: true });
      await mkdir(join(folder, 'below'));
      await writeFile(join(folder, 'a/b/.env'), 'HIDDEN');
      await run(`mv a ${name}; mv a/b ${name}`);
      expect(await run(`cat ${name}/.env ${name}/b/.env`)).not.toContain('HIDDEN');
    }
  });

  attack('a secret under a name that is not UTF-8', async () => {
    const { run, runOutside } = await makeHome();
    await runOutside(
      String.raw`cd project; mkdir -p $'\xff/\xc3\xa9/a'; echo HIDDEN | tee $'\xff/.env' $'\xff/\xc3\xa9/a/.env.\xfe'`,
    );
    const output = await run(
      String.raw`ls $'\xff' | wc -l; cat $'\xff/.env' $'\xff/\xc3\xa9/a/.env.\xfe'; mv $'\xff' b`,
    );
    expect(output).toMatch(/^1\n/);
    expect(output).not.toContain('HIDDEN');
    expect(await run('cat b/.env')).not.toContain('HIDDEN');
  });

  attack('a secret in a folder that a command closed', async () => {
    const { folder, run } = await makeUserHome(['a/b/.env', 'c/.env']);
    expect(await run('chmod 444 a; chmod 000 c; chmod 444 .git; echo ran')).toBe('ran\n');
    const output = await run('chmod 755 a c .git; cat a/b/.env c/.env; echo planted >> .git/config; echo ran');
    expect(output).toMatch(/ran\n$/);
    expect(output).not.toContain('HIDDEN');
    expect(await readFile(join(folder, '.git/config'), 'utf8')).not.toContain('planted');
  });

  attack('another name of a secret in a folder that a command closed', async () => {
    const { folder, run } = await makeUserHome(['c/.env']);
    await link(join(folder, 'c/.env'), join(folder, 'harmless.txt'));
    expect(await run('cat harmless.txt; chmod 000 c; echo ran')).toMatch(/ran\n$/);
    const output = await run('cat harmless.txt; echo ran');
    expect(output).toMatch(/ran\n$/);
    expect(output).not.toContain('HIDDEN');
  });

  attack('hard links to secrets', async () => {
    const { home, folder, run, runOutside } = await makeHome();
    await runOutside('echo HIDDEN > project/.env; mkdir -p .config/triad/caches; echo PUBLIC > .config/triad/caches/a');
    await link(join(folder, '.env'), join(folder, 'notes.txt'));
    await link(join(home, '.config/triad/key'), join(folder, 'key.txt'));
    // Package managers link packages to their caches.
    await link(join(home, '.config/triad/caches/a'), join(folder, 'package.txt'));
    const output = await run('cat notes.txt key.txt package.txt; ln .env a; ln notes.txt b; cat a b');
    expect(output).toContain('PUBLIC');
    expect(output).not.toContain('HIDDEN');
    expect(await run('cat a b')).not.toContain('HIDDEN');
  });

  attack('an index that lists an untracked secret', async () => {
    const { home, folder, run, runOutside } = await makeHome();
    const options = { ...NO_OPTIONS, caches: join(home, '.config/triad/caches'), git: new Git(process.env) };
    await runOutside(
      `cd project; mkdir sub; echo HIDDEN > .env; echo HIDDEN > sub/.env; echo fixture > key.pem; ${GIT} add key.pem; ${GIT} commit -qm one`,
    );
    // A file that git stores is shown, since its objects are readable.
    const read = 'cat .env sub/.env key.pem';
    expect(await run(read, { options })).toContain('fixture');
    await run(
      `echo GUESS | ${GIT} hash-object -w --stdin > id; ${GIT} update-index --add --cacheinfo 100644,$(cat id),.env`,
      { options },
    );
    await run(`git init -q sub; cd sub; ${GIT} update-index --add --cacheinfo 100644,$(cat ../id),.env`, { options });
    expect(await run(read, { options })).not.toContain('HIDDEN');
    await writeFile(join(folder, 'key.pem'), 'HIDDEN');
    expect(await run(read, { options })).not.toContain('HIDDEN');
  });

  attack('a workspace with too many secrets', async () => {
    const { folder, run, runOutside } = await makeHome();
    onTestFinished(async () => void (await runOutside(`rm -rf ${folder}`)));
    await run('name=$(printf a%.0s {1..250}); for i in {1..20}; do mkdir $name; cd $name; done; touch .env');
    expect(await run('echo started')).toBe('started\n');
    await run('mkdir many; cd many; touch .env.{1..2001}');
    await expect(run('true')).rejects.toMatchObject({
      code: 'limit_reached',
      message: expect.stringMatching(/more than 2000 secrets .*for instance .*many.*: delete them, or open/) as string,
    });
  });

  attack(
    'a home folder and Triad in a folder of the system',
    async () => {
      const { home, folder, run } = await makeHome('/opt/triad-sandbox-');
      expect(await run(`cat ${home}/.ssh/* ${home}/.config/triad/*; ls ${folder}/..`)).not.toContain('HIDDEN');
      const env = { ...process.env, HOME: '/nonexistent' };
      expect(await run(`cat ${home}/.config/triad/*`, { env })).not.toContain('HIDDEN');
    },
    // Only root can write there.
    process.getuid?.() === 0,
  );

  test('hides a secret among thousands of files', async () => {
    const { run, runOutside } = await makeHome();
    await runOutside('cd project; mkdir many; cd many; touch {1..9000}; echo HIDDEN > .env; echo HIDDEN > .ENV.Local');
    expect(await run('cat many/.env many/.ENV.Local; ls -A many | wc -l')).toMatch(/^(?!.*HIDDEN).*\n9002\n$/s);
  });
});
