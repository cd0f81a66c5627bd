/** Starts programs of tests as processes of their own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { COMPILED } from '../../../support/compiled.ts';
import { builtProgram } from '../../../support/program.ts';
import { AS_NOBODY } from './become-nobody.ts';

export interface Child {
  process: ChildProcessWithoutNullStreams;
  /** Its lines so far. */
  lines: string[];
  /** Waits for its next line; rejects when it ends before. */
  line(): Promise<string>;
  /** Waits for its end. */
  ended: Promise<void>;
}

/** With `nobody` it gives up the rights of root before it begins: rights are checked for everyone else. */
export function startChild(
  file: string,
  args: readonly string[],
  { nobody = false, env: more = {} }: { nobody?: boolean; env?: Readonly<Record<string, string>> } = {},
): Child {
  // One that is nobody may not write what is compiled.
  const env = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    ...(nobody ? { [AS_NOBODY]: '1' } : COMPILED),
    ...more,
  };
  const child = spawn(process.execPath, [builtProgram(resolve(import.meta.dirname, file)), ...args], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stderr.pipe(process.stderr);
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line));
  // Lines that were written before the end come before it.
  const ended = Promise.all([once(child, 'close'), once(reader, 'close')]).then(() => undefined);
  let read = 0;
  const line = async (): Promise<string> => {
    while (lines.length <= read) {
      const more = await Promise.race([once(reader, 'line').then(() => true), ended.then(() => false)]);
      if (!more && lines.length <= read) throw new Error(`${file} ended after ${lines.length} lines.`);
    }
    return lines[read++] ?? '';
  };
  return { process: child, lines, line, ended };
}
