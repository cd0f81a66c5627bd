/** The command line as other programs meet it: real processes, signals, pipes and terminals. What they left is read here. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import { CHILD, LEAD, plainAnswer, spawn, spawnOne, threeChildren } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { inProcess } from '../../support/engine.ts';
import { ownerPid, waits } from '../../support/owner.ts';
import { hasTerminals, machine } from '../../support/process.ts';
import { fullTest, inFullRun } from '../../../support/samples.ts';

const eventsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AgentEvent);
type End = Extract<AgentEvent, { type: 'workflow-end' }>;

// In the full run by another process: `signals` reads what a process prints in every run of the tests.
test('run prints the answer to stdout and the summary to stderr, and the session can be continued and shown', async () => {
  const home = await machine(plainAnswer());
  const here = inProcess(home, 'disk');
  const run = await (inFullRun ? home.triad : here)(['run', '-'], 'Say hello\n');
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

test('run --json prints numbered events without a gap, unnumbered deltas, and the sub-agents in the last line', async () => {
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
  const risks = events.flatMap((event) => (event.type === 'approval-request' ? [event.approval.risk] : []));
  expect(risks).toEqual(['medium', 'medium', 'medium']);
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

/** A lead that asks for a helper, then answers; `hangs`: not to the end. */
function withoutHelper(hangs: object = {}): Script {
  const script = new Script().on({ step: 1 }).reply([spawn({ name: 'inspector', prompt: 'Inspect it.' })]);
  return script.on({}).reply([text('The answer without it.', { deltas: 8 })], hangs);
}

test('run without a terminal rejects every question', async () => {
  const here = inProcess(await machine(withoutHelper()), 'memory');
  const run = await here(['run', 'Ask a helper']);
  expect([run.code, run.out]).toEqual([0, 'The answer without it.\n']);
  expect(run.err).toMatch(/not approved by .*\n● ✗ inspector: /);
  expect(await here(['run', '--approve', 'ask', 'Ask a helper'])).toEqual({
    code: 2,
    out: '',
    err: 'triad: --approve ask needs a terminal to ask on: use --approve all or --approve none\n',
  });
});

test('run reports a lead that repeats itself once', async () => {
  const home = await machine(new Script().on({}).reply([toolUse('read_file', { path: 'README.md' })]));
  await writeFile(join(home.home, 'config.toml'), '[limits]\ndoom_loop_threshold = 2\n');
  const { code, out, err } = await inProcess(home, 'memory')(['run', '--approve', 'none', 'Go']);
  expect(code).not.toBe(0);
  expect(`${out}${err}`.match(/Repetitive behaviour detected/g)).toHaveLength(1);
});

test('run --approve none starts no sub-agent in approval mode selective', async () => {
  const home = await machine(withoutHelper());
  await writeFile(join(home.home, 'config.toml'), '[permissions]\nmode = "selective"\n');
  const run = await inProcess(home, 'memory')(['run', '--json', '--approve', 'none', 'Ask a helper']);
  const events = eventsOf(run.out);
  expect(events.flatMap((event) => (event.type === 'run-start' ? [event.agent] : []))).toEqual(['lead']);
  expect(events.at(-1)).toMatchObject({
    outcome: 'completed',
    subAgents: [{ agent: 'inspector', outcome: 'rejected' }],
  });
});

fullTest([
  'tests/hosts/cli/program/process.test.ts › run without a terminal rejects every question',
  'tests/hosts/cli/commands/run.test.ts › Ctrl-C stops the workflow, waits for its end and exits with 130',
  'tests/hosts/owner/signals.test.ts › %s interrupts the workflow: exit code %i, and the last line names the resume command',
])('run as a process rejects questions without a terminal, and SIGINT stops the workflow with a hint', async () => {
  const home = await machine(withoutHelper({ hangAfter: 5 }));
  const { child, out, err, exit } = home.start(['run', 'Ask a helper']);
  await expect.poll(out).toContain('The');
  expect(err()).toMatch(/not approved by .*\n● ✗ inspector: /);
  child.kill('SIGINT');
  expect(await exit).toBe(130);
  expect(err()).toMatch(/\nStopped by the person; continue with: triad run --conversation [\w-]{36} "…"\n$/);
});

test.runIf(process.getuid !== undefined)('rejects a settings file that other users may write', async () => {
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

fullTest([
  'tests/core/workflows/crash.test.ts › loses and repeats nothing after a few durable events; in the full run after many',
  'tests/hosts/cli/commands/sessions/json.test.ts › resume continues the newest interrupted workflow, and prints like run',
])('a workflow is interrupted by kill -9 of its process, and resumes to its end', async () => {
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

fullTest(
  [
    'tests/hosts/cli/follow/asker.test.ts › discards input typed before the whole question is shown, also before each confirmation',
    'tests/hosts/owner/signals.test.ts › %s at a question interrupts the workflow and leaves the question open',
  ],
  hasTerminals,
)('asks on the terminal, counts only input typed after the question, and leaves it open on a hangup', async () => {
  const helper = (name: string) => spawn({ name, prompt: `Inspect ${name} of the workspace.` });
  const script = new Script().on({ ...LEAD, step: 1 }).reply([helper('one')]);
  script.on({ ...LEAD, step: 2 }).reply([helper('two')]);
  script.on({ ...LEAD, step: 3 }).reply([text('All parts are done.')]);
  const home = await machine(script.on(CHILD).reply([text('# Report\n\n## Summary\n\nIt is in good order.')]));
  const { child, out, exit } = home.onTerminal(['run', 'Ask helpers']);
  // Whole lines, and the beginning of one.
  child.stdin?.write('y\ry\ry');
  await expect.poll(out).toContain('Allow? [y]es, [n]o, [?] ask first, then Enter: ');
  expect(out()).toContain('│ Inspect one of the workspace.');
  await sleep(100);
  child.stdin?.write('\r');
  await expect.poll(() => out().split('Allow? ').length).toBe(3);
  child.stdin?.write('y\r');
  await expect.poll(out).toContain('│ Inspect two of the workspace.');
  expect(out()).toContain('→ Running one agent...');
  await expect.poll(() => out().split('Allow? ').length).toBe(4);

  // A terminal that goes takes its programs with it.
  child.kill('SIGKILL');
  await exit;
  await expect.poll(() => ownerPid(home).catch(() => null), waits).toBeNull();
  const here = inProcess(home, 'disk');
  const [session] = JSON.parse((await here(['sessions', 'list', '--json'])).out) as {
    id: string;
    workflows: unknown[];
  }[];
  expect(session?.workflows).toMatchObject([{ outcome: 'interrupted' }]);
  const id = session?.id ?? '';
  expect((await here(['sessions', 'trace', id, '--json'])).out).toContain('"decidedBy": null');
  const resumed = await here(['sessions', 'resume', '--approve', 'all', id]);
  expect([resumed.code, resumed.out]).toEqual([0, expect.stringContaining('All parts are done.')]);
});

fullTest(
  [
    'tests/hosts/cli/commands/mcp/servers.test.ts › Ctrl-C ends the prompt for a secret, which is not shown while it is typed',
    'tests/hosts/cli/commands/run.test.ts › Ctrl-C stops the workflow, waits for its end and exits with 130',
  ],
  hasTerminals,
)('Ctrl-C at a question stops the workflow', async () => {
  const { onTerminal } = await machine(spawnOne());
  const { child, out, exit } = onTerminal(['run', 'Ask a helper']);
  await expect.poll(out).toContain('Allow? ');
  await sleep(100);
  child.stdin?.write('\u0003');
  expect(await exit).toBe(130);
  expect(out()).toContain('cancelled ·');
});
