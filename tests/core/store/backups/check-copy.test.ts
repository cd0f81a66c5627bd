/** The program that looks into a copy of a store ends with the one that asked it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support.ts';
import { builtProgram } from '../../../support/program.ts';

const PROGRAM = builtProgram(join(import.meta.dirname, '../../../../src/core/store/backups/check-copy.ts'));

test('the check ends when the input from its parent process closes', async () => {
  const child = spawn(process.execPath, [PROGRAM, join(await testFolder(), 'store')]);
  const ended = once(child, 'exit');
  child.stdin.end();
  expect(await ended).toEqual([null, 'SIGKILL']);
});
