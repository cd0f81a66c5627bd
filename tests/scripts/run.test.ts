/** `scripts/run.cjs`: the commands behind the npm scripts. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isBuilt, ROOT } from '../support/program.ts';
import { folderWith } from '../support/workspace.ts';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

const run = (...args: string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'scripts/run.cjs'), ...args], { encoding: 'utf8' });

test('each npm script is a script of run.cjs, and there are at most 25', () => {
  const { status, stderr } = run('unknown');
  expect(status).toBe(2);
  const known = stderr.trim().replace('Give one of these: ', '').split(', ');
  const called = Object.values(scripts).map((command) => /^node scripts\/run\.cjs (\S+)$/.exec(command)?.[1]);
  expect(called.filter((name) => name === undefined || !known.includes(name))).toEqual([]);
  expect(called.length).toBeLessThanOrEqual(25);
});

// Without fresh bundles it would build them below the other tests.
test.runIf(isBuilt())('a script gets the arguments and ends with the exit code of its command', () => {
  const { status, stdout, stderr } = run('triad', 'agents', 'show', 'nobody');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain('nobody');
});

test.runIf(isBuilt() && process.platform === 'linux').each(['SIGINT', 'SIGTERM'] as const)(
  'a script that gets %s ends its command',
  async (signal) => {
    const home = await folderWith({});
    const args = [join(ROOT, 'scripts/run.cjs'), 'triad', 'serve', '--port', '0'];
    const child = spawn(process.execPath, args, { env: { ...process.env, TRIAD_HOME: home } });
    await once(child.stdout, 'data');
    child.kill(signal);
    // Its output ends only when no process has it any more.
    const [exitCode] = (await once(child, 'close')) as [number | null];
    expect(exitCode).not.toBe(0);
  },
);
