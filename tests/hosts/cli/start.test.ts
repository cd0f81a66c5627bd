/** What the start of a command costs: each one pays for it. */
import { expect, test } from 'vitest';
import { Script } from '../../support/fake-model/script.ts';
import { machine } from '../support/process.ts';

/** Names on stderr what a process has loaded of Node's own `fetch`, which is a tenth of a start. */
const WITNESS = `process.on('exit', () => console.error(process.moduleLoadList.filter((name) => /undici\\/undici/.test(name))))`;

test('a command that needs no provider does not load fetch', async () => {
  const { triad } = await machine(new Script());
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WITNESS)}` };
  expect(await triad(['sessions', 'list'], '', { env })).toEqual({ code: 0, out: '', err: 'No sessions yet.\n[]\n' });
});

/** Names on stderr the files of the program that are loaded when it loads the engine of the store. */
const LOADED = `
import { registerHooks } from 'node:module';
const files = [];
registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) });
const { dlopen } = process;
process.dlopen = (...args) => {
  if (/surrealdb/.test(args[1])) console.error(files.join(' '));
  return dlopen.apply(process, args);
};`;

test('the engine of the store opens before the rest of the program is loaded', async () => {
  const { triad } = await machine(new Script());
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(LOADED)}` };
  const { err } = await triad(['mcp', 'list'], '', { env });
  expect(err).toMatch(/\/open-runtime\b/);
  expect(err).not.toMatch(/\/(client-[\w-]+\.js|rpc\.ts|compose-runtime\b|store-on\b)/);
});

test('redacts secrets of the environment in an error of the store', async () => {
  const { triad } = await machine(new Script());
  const env = { DEPLOY_TOKEN: 'word-4711-abcdefgh', TRIAD_STORE: 'rocksdb:///dev/null/word-4711-abcdefgh/store' };
  const { code, err } = await triad(['sessions', 'list'], '', { env });
  expect(code).toBe(1);
  expect(err).toContain('/dev/null/[redacted: known key]');
  expect(err).not.toContain('word-4711');
});

/** Something that nobody foresaw, as soon as the program is ready for that. */
const FAULT = `
const { on } = process;
process.on = function (name, ...rest) {
  if (name === 'uncaughtException') setImmediate(() => { throw new Error('No way ghp_abcdefghijklmnopqrstuvwxyz'); });
  return on.call(this, name, ...rest);
};`;

test('an unexpected error ends the program with an error without secrets', async () => {
  const { triad } = await machine(new Script());
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FAULT)}` };
  const { code, out, err } = await triad(['sessions', 'list'], '', { env });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^triad: Error: No way \[redacted: GitHub token\]\n/);
  expect(err).not.toContain('ghp_');
});
