/** The command line as other programs meet it: real processes, signals, pipes and terminals. What they left is read here. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import { plainAnswer, spawnOne, threeChildren } from '../../../support/fake-model/scenarios.ts';
import { inProcess } from '../../support/engine.ts';
import { hasTerminals, machine } from '../../support/process.ts';
import { inSoak } from '../../../support/samples.ts';

const eventsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AgentEvent);
type End = Extract<AgentEvent, { type: 'workflow-end' }>;

// In the soak by another process: `packed` and `two-runs` read what a process prints in every run of the tests.
test('an answer on stdout, its sum on stderr, then found again', async () => {
  const home = await machine(plainAnswer());
  const here = inProcess(home, 'disk');
  const run = await (inSoak ? home.triad : here)(['run', '-'], 'Say hello\n');
  expect([run.code, run.out]).toEqual([0, 'Hello, this is the whole answer.\n']);
  expect(run.err).toMatch(
    /^completed · [\d.]+ m?s · \d+ tokens · \$0\.\d+\ncontinue with: triad run --conversation [\w-]{36} "…"\n$/,
  );
  const [session] = JSON.parse((await here(['sessions', 'list', '--json'])).out) as {
    id: string;
    workflows: { outcome: string }[];
  }[];
  expect(session?.workflows).toMatchObject([{ outcome: 'completed', subAgents: [] }]);
  const again = await here(['run', '--conversation', session?.id ?? '', 'And again']);
  expect(again.code).toBe(0);
  const shown = await here(['sessions', 'show', session?.id ?? '']);
  expect(shown.out.match(/Hello, this is the whole answer\./g)).toHaveLength(2);
});

test('--json: durable events without a gap, hints without a number, the sub-agents in the last line', async () => {
  const home = await machine(threeChildren());
  const here = inProcess(home, 'disk');
  const { code, out, err } = await here(['run', '--json', '--approve', 'all', 'Inspect it']);
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/^triad: --approve all: every question of this run is answered yes[^\n]*\n$/),
  ]);
  const events = eventsOf(out);
  const numbers = events.flatMap((event) => ('seq' in event ? [event.seq] : []));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(events.filter(({ type }) => type.endsWith('-delta')).every((event) => !('seq' in event))).toBe(true);
  const end = events.at(-1) as End;
  expect(end).toMatchObject({ type: 'workflow-end', outcome: 'completed' });
  expect(end.subAgents.map(({ agent, outcome }) => `${agent} ${outcome}`)).toEqual([
    'alpha completed',
    'beta completed',
    'gamma completed',
  ]);
  const trace = JSON.parse((await here(['sessions', 'trace', end.conversationId, '--json'])).out) as {
    workflows: { runs: { children: { agent: string; parentChain: string[]; approvals: unknown[] }[] }[] }[];
  };
  expect(trace.workflows[0]?.runs[0]?.children.map(({ agent }) => agent)).toEqual(['alpha', 'beta', 'gamma']);
});

test('without a terminal nobody is asked: the answer is no, and asking for it is bad usage', async () => {
  const home = await machine(spawnOne());
  const run = await home.triad(['run', 'Ask a helper']);
  expect(run.err).toMatch(/not approved by .*\n✗ inspector: /);
  const asking = await inProcess(home, 'memory')(['run', '--approve', 'ask', 'Ask a helper']);
  expect(asking).toEqual({
    code: 2,
    out: '',
    err: 'triad: --approve ask needs a terminal to ask on: use --approve all or --approve none\n',
  });
});

test.runIf(process.getuid !== undefined)('settings that others may write are not obeyed', async () => {
  const one = await machine(plainAnswer());
  const triad = inProcess(one, 'memory');
  const file = join(one.home, 'config.toml');
  await writeFile(file, '[permissions]\nmode = "auto"\n');
  await chmod(file, 0o666);
  const line = `Others may write ${file} (mode 0666)`;
  expect(await triad(['run', 'Hello'])).toEqual({
    code: 1,
    out: '',
    err: `triad: ${line}: run "chmod go-w ${file}"\n`,
  });
  expect(one.model.requests).toEqual([]);
  const { code, out } = await triad(['doctor']);
  expect([code, out]).toEqual([1, expect.stringContaining(`settings: ${line}; to do: run "chmod go-w ${file}"`)]);
});

test('SIGINT stops the workflow, which says so in its last line; exit code 130', async () => {
  const { start } = await machine(plainAnswer({ reply: { deltaMs: 200 } }));
  const { child, out, exit } = start(['run', '--json', 'x']);
  await expect.poll(out).toContain('message-delta');
  child.kill('SIGINT');
  expect(await exit).toBe(130);
  expect(eventsOf(out()).at(-1)).toMatchObject({ type: 'workflow-end', outcome: 'cancelled' });
});

test.runIf(inSoak)('after a kill the workflow is interrupted, and resumes to its end', async () => {
  const home = await machine(spawnOne({ reply: { deltaMs: 20 } }));
  const { child, err, exit } = home.start(['run', '--approve', 'all', 'Ask a helper']);
  await expect.poll(err).toContain('→ Running inspector agent...');
  child.kill('SIGKILL');
  await exit;
  const here = inProcess(home, 'disk');
  const [session] = JSON.parse((await here(['sessions', 'list', '--json'])).out) as {
    id: string;
    workflows: unknown[];
  }[];
  expect(session?.workflows).toMatchObject([{ outcome: 'interrupted' }]);
  const resumed = await here(['sessions', 'resume', session?.id ?? '']);
  expect(resumed.code).toBe(0);
  expect(resumed.out).toContain('All parts are done.');
});

test.runIf(hasTerminals)(
  'a person at the terminal is asked, and only what was typed after the question counts',
  async () => {
    const { onTerminal } = await machine(spawnOne());
    const { child, out, exit } = onTerminal(['run', 'Ask a helper']);
    // Whole lines, and the beginning of one.
    child.stdin?.write('y\ry\ry');
    await expect.poll(out).toContain('Allow? [y]es, [n]o, [?] ask first, then Enter: ');
    expect(out()).toContain('│ Inspect the workspace and report.');
    await sleep(100);
    child.stdin?.write('\r');
    await expect.poll(() => out().split('Allow? ').length).toBe(3);
    child.stdin?.write('y\r');
    expect(await exit).toBe(0);
    expect(out()).toContain('→ Running inspector agent...');
    expect(out()).toContain('the workspace is in good order.');
  },
);

test.runIf(hasTerminals && inSoak)('Ctrl-C at a question stops the workflow', async () => {
  const { onTerminal } = await machine(spawnOne());
  const { child, out, exit } = onTerminal(['run', 'Ask a helper']);
  await expect.poll(out).toContain('Allow? ');
  await sleep(100);
  child.stdin?.write('\u0003');
  expect(await exit).toBe(130);
  expect(out()).toContain('cancelled ·');
});
