/** Checks the README: its size, and that its commands work. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { machine } from '../hosts/support/process.ts';
import { plainAnswer } from '../support/fake-model/scenarios.ts';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'README.md'), 'utf8');
const MAX_BYTES = 6000;
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block.trim().split('\n'));
const commands = (blocks[1] ?? []).map((line) => line.replace(/ +#.*/, ''));

/** Splits a command line at spaces outside of double quotes. */
function parseArguments(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

test('has at most 6,000 bytes', () => {
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(MAX_BYTES);
});

test('installs with two commands that exist', () => {
  expect(blocks[0]?.map((line) => line.split('#')[0]?.trim())).toEqual(['npm start', 'npm test']);
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: object };
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test']));
});

test('shows the command line in six lines', () => {
  expect(commands).toHaveLength(6);
  expect(commands.every((command) => command.startsWith('bin/triad '))).toBe(true);
});

test.for(commands.filter((command) => !command.includes(' serve')))('the command works: %s', async (command) => {
  const { triad } = await machine(plainAnswer());
  const { code, out, err } = await triad(parseArguments(command).slice(1));
  expect(code, err).toBe(0);
  expect(out + err, 'prints a result, or that there is none').not.toBe('');
});

test.for(commands.filter((command) => command.includes(' serve')))('the command works: %s', async (command) => {
  const { start } = await machine(plainAnswer());
  // Without a PATH no browser opens.
  const { out, err, child } = start(parseArguments(command).slice(1), undefined, { env: { PATH: '' } });
  await expect.poll(out, { message: err() }).toMatch(/http:\/\/127\.0\.0\.1:\d+\//);
  child.kill();
});
