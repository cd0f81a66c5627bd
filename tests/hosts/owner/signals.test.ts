/** What ends `triad run` from outside: only a person's Ctrl-C and a closed pipe stop the work, all else interrupts it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { spawnOne } from '../../support/fake-model/scenarios.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { CLI } from '../../support/program.ts';
import { inProcess } from '../support/engine.ts';
import { eventsOf, gated, ownerPid, waits } from '../support/owner.ts';
import { hasTerminals, machine, type Machine } from '../support/process.ts';
import { fullTest } from '../../support/samples.ts';

const ENDS = [
  ['SIGTERM', 143, 'The program was ended (SIGTERM)'],
  ['SIGHUP', 129, 'The terminal was closed (SIGHUP)'],
] as const;
type Engine = Machine['triad'];
type End = Extract<DurableEvent, { type: 'workflow-end' }>;

interface Session {
  id: string;
  workflows: { outcome: string; error: { message: string } | null }[];
}

const WORDS = 'The answer, word for word.\n';

/** An answer that stops in its middle, once. */
function hanging(): Script {
  return new Script()
    .on({})
    .reply([text(WORDS, { deltas: 8 })], { hangAfter: 5, times: 1 })
    .on({})
    .reply([text(WORDS)]);
}

async function sessionOf(engine: Engine): Promise<Session> {
  const [session] = JSON.parse((await engine(['sessions', 'list', '--json'])).out) as Session[];
  return session ?? { id: '', workflows: [] };
}

// Of a client, and of one that asks, in every run of the tests: see below.
test.for(ENDS)(
  '%s interrupts the workflow: exit code %i, and the last line names the resume command',
  async ([signal, code, why]) => {
    const home = await machine(hanging());
    const { child, out, err, exit } = home.start(['run', '--json', 'x']);
    await expect.poll(out, waits).toContain('message-delta');
    child.kill(signal);
    expect(await exit).toBe(code);
    const end = eventsOf(out()).at(-1) as End;
    expect(end).toMatchObject({
      type: 'workflow-end',
      outcome: 'interrupted',
      error: { code: 'interrupted', message: why },
    });
    const command = `triad sessions resume ${end.conversationId}`;
    expect(err()).toBe(`${why}; continue with: ${command}\n`);
    const resumed = await inProcess(home, 'disk')(command.split(' ').slice(1));
    expect([resumed.code, resumed.out]).toEqual([0, WORDS]);
  },
);

test('SIGTERM of a client interrupts only its own workflow at the owner, which can resume it', async () => {
  const { script, release } = gated(['one', 'two']);
  const home = await machine(script);
  // This process is the owner.
  const here = inProcess(home, 'disk');
  const other = here(['run', '--json', 'two']);
  await expect.poll(() => home.model.requests, waits).toHaveLength(1);
  const ended = home.start(['run', '--json', 'one']);
  await expect.poll(ended.out, waits).toContain('message-delta');
  ended.child.kill('SIGTERM');
  expect(await ended.exit).toBe(143);
  const end = eventsOf(ended.out()).at(-1) as End;
  expect(end).toMatchObject({ outcome: 'interrupted', error: { message: ENDS[0][2] } });
  expect(ended.err()).toBe(`${ENDS[0][2]}; continue with: triad sessions resume ${end.conversationId}\n`);
  release('two');
  expect((await other).code).toBe(0);
  release('one');
  // The same owner goes on with it.
  const resumed = await here(['sessions', 'resume', end.conversationId]);
  expect([resumed.code, resumed.out]).toEqual([0, 'The answer to one is this.\n']);
  expect(await ownerPid(home)).toBe(process.pid);
});

test.runIf(hasTerminals).for(['SIGTERM', 'hangup'])(
  '%s at a question interrupts the workflow and leaves the question open',
  async (how) => {
    const home = await machine(spawnOne());
    const { child, out, exit } = home.onTerminal(['run', 'Ask a helper']);
    await expect.poll(out, waits).toContain('Allow? ');
    const pid = await ownerPid(home);
    // A terminal that goes takes its programs with it.
    if (how === 'hangup') child.kill('SIGKILL');
    else process.kill(pid, 'SIGTERM');
    await exit;
    await expect.poll(() => ownerPid(home).catch(() => null), waits).toBeNull();
    if (how === 'SIGTERM') expect(out()).toMatch(/continue with: triad sessions resume [\w-]{36}\r\n$/);
    const here = inProcess(home, 'disk');
    const { id, workflows } = await sessionOf(here);
    expect(workflows).toMatchObject([{ outcome: 'interrupted' }]);
    const trace = await here(['sessions', 'trace', id, '--json']);
    expect(trace.out).toContain('"decidedBy": null');
    const resumed = await here(['sessions', 'resume', '--approve', 'all', id]);
    expect([resumed.code, resumed.out]).toEqual([0, expect.stringContaining('All parts are done.')]);
  },
);

fullTest([
  'tests/hosts/cli/commands/run.test.ts › Ctrl-C stops the workflow, waits for its end and exits with 130',
  'tests/hosts/cli/commands/run.test.ts › a closed output stops the workflow with the cause "output"',
])('Ctrl-C and a closed output stop the workflow, and the last line and the history name the cause', async () => {
  const home = await machine(new Script().on({}).reply([text(WORDS.repeat(20), { deltas: 100 })], { deltaMs: 20 }));
  const stopped = home.start(['run', 'x']);
  await expect.poll(stopped.out, waits).toContain('The');
  stopped.child.kill('SIGINT');
  expect(await stopped.exit).toBe(130);
  expect(stopped.err().match(/Stopped by the person/g)).toHaveLength(1);
  expect(stopped.err()).toMatch(/\nStopped by the person; continue with: triad run --conversation [\w-]{36} "…"\n$/);
  const unread = home.start(['run', 'x']);
  await expect.poll(unread.out, waits).toContain('The');
  unread.child.stdout?.destroy();
  expect(await unread.exit).toBe(130);
  const why = 'Stopped: its output was closed, nobody reads it any more';
  expect(unread.err()).toMatch(new RegExp(`\\n${why}; continue with: .*\\n$`));
  const here = inProcess(home, 'disk');
  const { id, workflows } = await sessionOf(here);
  expect(workflows).toMatchObject([{ outcome: 'cancelled' }]);
  expect((await here(['sessions', 'show', id])).out).toContain(`cancelled: ${why}`);
});

fullTest(
  'tests/hosts/cli/commands/run.test.ts › if the last output of %s %s cannot be written, prints how to read the stored answer',
  existsSync('/dev/full'),
)('an output that cannot be written is reported on stderr, and the workflow is interrupted', async () => {
  const home = await machine(hanging());
  const words = `'${process.execPath}' '${CLI}' run x > /dev/full`;
  const child = spawn('/bin/sh', ['-c', words], { env: home.env, cwd: home.folder });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(1);
  expect(err.match(/The output could not be written/g)).toHaveLength(1);
  expect(err).toMatch(/\nThe output could not be written; continue with: triad sessions resume [\w-]{36}\n/);
  expect(err).toMatch(/\ntriad: the output cannot be written \(ENOSPC\)\n$/);
  expect((await sessionOf(inProcess(home, 'disk'))).workflows).toMatchObject([{ outcome: 'interrupted' }]);
});
