/** `bin/triad`: the command line from any folder, through a link, on whatever Node the machine has; completion builds nothing. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMPILED } from '../support/compiled.ts';
import { isBuilt, ROOT } from '../support/program.ts';
import { folderWith } from '../support/workspace.ts';

// Otherwise it would build, which other tests would not live through.
test.runIf(isBuilt() && process.platform === 'linux')(
  'bin/triad replaces its own process with the program, in the current folder, and prints nothing itself',
  async () => {
    const folder = realpathSync(await folderWith({}));
    const link = join(folder, 'triad');
    symlinkSync(join(ROOT, 'bin/triad'), link);
    const home = await folderWith({});
    // Without the folder of the packaged Node.
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TRIAD_HOME: home, INIT_CWD: ROOT, ...COMPILED };

    // Of whoever the program is started by: what it becomes is no child of the script, so signals and exit codes are its own.
    const witness = 'console.error(process.ppid, process.execPath)';
    const told = { ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(witness)}` };
    const made = spawnSync(link, ['agents', 'new', 'helper'], { cwd: folder, env: told, encoding: 'utf8' });
    expect([made.status, made.stdout]).toEqual([0, `${join(folder, '.triad/agents/helper.md')}\n`]);
    const lines = made.stderr.match(/^\d+ \/.*$/gm);
    expect(lines?.at(-1)).toMatch(new RegExp(`^${process.pid} .*node-linux`));
  },
);

test.runIf(process.platform === 'linux')('completion builds nothing, and prints nothing without a build', async () => {
  const checkout = realpathSync(
    await folderWith({ 'src/x.ts': '', 'scripts/run.cjs': "require('fs').writeFileSync('built', '')" }),
  );
  mkdirSync(join(checkout, 'bin'));
  copyFileSync(join(ROOT, 'bin/triad'), join(checkout, 'bin/triad'));
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(join(checkout, 'bin/triad'), args, {
      cwd: checkout,
      encoding: 'utf8',
    });
    return [status, stdout, stderr, existsSync(join(checkout, 'built'))];
  };
  expect(run('complete', '--', 'a')).toEqual([0, '', '', false]);
  mkdirSync(join(checkout, 'dist/electron'), { recursive: true });
  writeFileSync(join(checkout, 'dist/electron/cli.js'), 'console.log(process.argv.slice(2).join())');
  expect(run('complete', '--', 'a')).toEqual([0, 'complete,--,a\n', '', false]);
  expect(run('agents')).toEqual([0, 'agents\n', '', true]);
});
