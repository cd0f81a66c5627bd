/** `bin/triad`: the command line from any folder, through a link, on whatever Node the machine has. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { COMPILED } from '../support/compiled.ts';
import { isBuilt, ROOT } from '../support/program.ts';
import { folderWith } from '../support/workspace.ts';

// Otherwise it would build, which other tests would not live through.
test.runIf(isBuilt && process.platform === 'linux')(
  'it becomes the program, in the folder where it was called, and prints nothing of its own',
  async () => {
    const folder = realpathSync(await folderWith({}));
    const link = join(folder, 'triad');
    symlinkSync(join(ROOT, 'bin/triad'), link);
    const home = await folderWith({});
    // Without the folder of the packaged Node.
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TRIAD_HOME: home, INIT_CWD: ROOT, ...COMPILED };

    const made = spawnSync(link, ['agents', 'new', 'helper'], { cwd: folder, env, encoding: 'utf8' });
    expect([made.status, made.stdout]).toEqual([0, `${join(folder, '.triad/agents/helper.md')}\n`]);

    const child = spawn(link, ['serve', '--port', '0'], { cwd: folder, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    expect(said.toString()).toMatch(/^http:/);
    expect(realpathSync(`/proc/${child.pid}/exe`)).toContain('node-linux');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([143, null]);
  },
);
