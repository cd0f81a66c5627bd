/** What the start of a command costs: each one pays for it. */
import { expect, test } from 'vitest';
import { Script } from '../../support/fake-model/script.ts';
import { machine } from '../support/process.ts';

/** Names on stderr what a process has loaded of Node's own `fetch`, which is a tenth of a start. */
const WITNESS = `process.on('exit', () => console.error(process.moduleLoadList.filter((name) => /undici\\/undici/.test(name))))`;

test('it loads nothing of what only a request to a provider needs', async () => {
  const { triad } = await machine(new Script());
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WITNESS)}` };
  expect(await triad(['sessions', 'list'], '', { env })).toEqual({ code: 0, out: '', err: 'No sessions yet.\n[]\n' });
});

/** Something that nobody foresaw, as soon as the program is ready for that. */
const FAULT = `
const { on } = process;
process.on = function (name, ...rest) {
  if (name === 'uncaughtException') setImmediate(() => { throw new Error('No way ghp_abcdefghijklmnopqrstuvwxyz'); });
  return on.call(this, name, ...rest);
};`;

test('what nobody foresaw ends it with an error that has no secrets', async () => {
  const { triad } = await machine(new Script());
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FAULT)}` };
  const { code, out, err } = await triad(['sessions', 'list'], '', { env });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^triad: Error: No way \[redacted: GitHub token\]\n/);
  expect(err).not.toContain('ghp_');
});
