/** What is in the sandbox stays there: every attempt is real, and what came of it is looked at from outside. */
import { mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { RunningCommands } from '#core/workspace/shell/command-processes.ts';
import { NO_OPTIONS, type Sandbox } from '#core/workspace/shell/sandbox.ts';
import { runShell } from '#core/workspace/shell/shell-process.ts';
import { workspaceIn } from '../../../support/workspace.ts';
import { type Attempt, ATTEMPTS } from './escape-attempts.ts';
import { type Field, field, stateOf } from './escape-field.ts';
import { sandbox, skipped, words } from './support.ts';

/** Makes attempts in one command, and answers which ones worked; `output` is what all of them said. */
async function attempt(
  place: Field,
  box: Sandbox | null,
  attempts: readonly Attempt[],
): Promise<{ worked: Set<string>; output: string; ran: number }> {
  const ws = join(place.root, 'ws');
  const secrets = { patterns: ['customers.csv'], place: { file: null, line: null } };
  const outputs = await mkdtemp(join(tmpdir(), 'triad-escapes-'));
  for (const [index, { script }] of attempts.entries()) await writeFile(join(ws, `attempt-${index}`), script);
  // A command does not get variables of the person that it does not need.
  const variables = ['OUT', 'OWN', 'OUTER', 'BAIT', 'TCP', 'UDP', 'NODE'].map((name) => `${name}='${place.env[name]}'`);
  const command = `export ${variables.join(' ')}; for i in $(seq 0 ${attempts.length - 1}); do bash ./attempt-$i 2>&1; echo "<$i:$?>"; done`;
  try {
    const { output } = await runShell({
      command,
      folder: ws,
      saidIn: null,
      sandbox: box,
      network: false,
      write: 'all',
      options: NO_OPTIONS,
      env: place.env,
      file: join(outputs, 'output'),
      fileBytes: 1e6,
      resultBytes: 1e6,
      timeoutMs: 50_000,
      graceMs: 200,
      running: new RunningCommands(),
      workspace: workspaceIn(ws, { own: [join(place.root, 'own'), join(ws, '.triad/sessions')], secrets }),
      signal: new AbortController().signal,
      onOutput: () => {},
    });
    const ended = [...output.head.matchAll(/<(\d+):(\d+)>/g)];
    const worked = ended.filter(([, , code]) => code === '0').map(([, index]) => attempts[Number(index)]!.name);
    return { worked: new Set(worked), output: output.head, ran: ended.length };
  } finally {
    await rm(outputs, { recursive: true, force: true });
  }
}

describe.skipIf(skipped)(`attempts to break out of the sandbox (${words})`, () => {
  let place: Field;
  let before: Record<string, string>;
  let result: Awaited<ReturnType<typeof attempt>>;
  beforeAll(async () => {
    place = await field();
    before = await stateOf(place);
    vi.stubEnv('HOME', place.env['HOME']);
    result = await attempt(place, sandbox, ATTEMPTS);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await place.close();
  });

  test.for(ATTEMPTS)('have no effect: $name', ({ name }) => {
    expect(result.ran).toBe(ATTEMPTS.length);
    expect(result.worked.has(name), result.output).toBe(false);
  });

  test('change nothing outside, read nothing hidden and open no connection', async () => {
    expect(await stateOf(place)).toEqual(before);
    expect(result.output).not.toContain('HIDDEN:');
    expect(place.connections).toEqual([]);
    expect(place.outer.exitCode ?? place.outer.signalCode).toBeNull();
    // Its links lead where they led.
    expect(await readlink(join(place.root, 'ws/out-link'))).toBe(join(place.root, 'outside'));
  });
});

test('the escape attempts that need no special rights succeed without a sandbox', async () => {
  const place = await field();
  // Never the others: as root they would change the machine.
  const free = ATTEMPTS.filter((one) => one.free);
  try {
    const { worked, output } = await attempt(place, null, free);
    const failed = free.filter(({ name }) => !worked.has(name)).map(({ name }) => name);
    expect(failed, output).toEqual([]);
  } finally {
    await place.close();
  }
});
