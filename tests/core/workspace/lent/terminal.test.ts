/** Commands run in a terminal of a client that lends it: asked about as what they are, bounded, recorded and ended by us. */
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Harness, type HarnessOptions, startEngine, yes } from '../../../support/engine.ts';
import { type Person, workspacesWithoutGit } from '../../../support/compose.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Block, Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { lendTo } from '../../../support/lender.ts';
import { folderWith } from '../../../support/workspace.ts';
import { expectGone } from '../../mcp/support.ts';

const TERMINAL = { terminal: true };

function calling(...calls: Block[]): Script {
  return calls.reduce((script, call) => script.step([call]), new Script()).step([text('Done.')]);
}
const bash = (command: string, more = {}) => toolUse('bash', { command, ...more });
const results = (engine: Harness) =>
  engine.of('tool-end').flatMap(({ entry }) => (entry.kind === 'tool' ? [entry] : []));

/** Nobody asks what those have changed. */
async function lendingWithoutGit(...[calls, options, how]: Parameters<typeof lending>) {
  return lending(calls, { workspaces: workspacesWithoutGit(await folderWith()), ...options }, how);
}

async function lending(calls: Block[], options: HarnessOptions = {}, how: Parameters<typeof lendTo>[3] = {}) {
  const engine = await startEngine(calling(...calls), options);
  return { engine, client: await lendTo(engine.runtime, engine.conversationId, TERMINAL, how) };
}

describe('a command in a terminal provided by the client', () => {
  test('requires approval as outside of the sandbox despite an allow rule, and returns output, changes and folder', async () => {
    const rule = '[[permissions.rules]]\neffect = "allow"\ntool = "bash"\npattern = "*"\n';
    const configFolder = await folderWith({ 'config.toml': rule });
    // The client has more in its environment than a command may see.
    vi.stubEnv('OF_THE_CLIENT', 'leaked');
    onTestFinished(() => void vi.unstubAllEnvs());
    const programs = { ...process.env, OF_THE_CLIENT: undefined, MY_TOKEN: 'secret', LC_TEST: 'plain' };
    const calls = [
      bash('mkdir sub; cd sub; echo "$LC_TEST-$MY_TOKEN$OF_THE_CLIENT-"; env | grep -c TOKEN; echo made > made.txt'),
      bash('pwd'),
    ];
    const { engine, client } = await lending(calls, { configFolder, programs });
    await engine.ask('Work');
    const [asked] = engine.of('approval-request');
    expect(asked?.approval).toMatchObject({
      risk: 'high',
      reversible: false,
      subject: { tool: 'bash', terminal: true },
    });
    expect(asked?.approval.description).toContain('outside of the sandbox');
    expect(asked?.approval).not.toHaveProperty('grant');
    expect(engine.of('approval-decide').map(({ decision }) => decision.decidedBy)).toEqual(['person', 'person']);
    const [first, second] = results(engine);
    expect(first).toMatchObject({
      status: 'completed',
      metadata: { exitCode: 0, terminalId: 't1', folder: 'sub', network: true },
    });
    expect(first?.output).toContain('plain--\n0\n');
    expect(first?.output).toContain('files changed: sub/made.txt');
    expect(second?.output).toContain(`${join(engine.folder, 'sub')}\n`);
    expect(client.calls[0]).toMatchObject({
      name: 'terminal-create',
      input: { runId: first && engine.of('run-start')[0]?.runId },
    });
    expect([...client.terminals.values()].every(({ released }) => released)).toBe(true);
  });

  test('starts only if the folder named in the approval still exists', async () => {
    const person: Person = (approval, item) => {
      const { title, subject } = approval.request;
      if (title === 'In sub, run pwd') rmSync(join((subject as { folder: string }).folder, 'sub'), { recursive: true });
      return yes(approval, item);
    };
    const { engine, client } = await lendingWithoutGit([bash('mkdir sub; cd sub'), bash('pwd')], { person });
    await engine.ask('Work');
    expect(results(engine)[1]?.output).toMatch(/^Nothing was run: the shell stands in the workspace folder now/);
    expect(client.calls.filter(({ name }) => name === 'terminal-create')).toHaveLength(1);
  });

  test('is killed with all its child processes at the time limit', async () => {
    const limit = AbortSignal.timeout.bind(AbortSignal);
    const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => limit(ms === 1000 ? 400 : ms));
    onTestFinished(() => spy.mockRestore());
    const { engine, client } = await lendingWithoutGit([
      bash('sleep 60 & echo $!; (setsid sleep 61 & echo $!); sleep 62', { timeout_seconds: 1 }),
    ]);
    await engine.ask('Work');
    const [result] = results(engine);
    expect(result).toMatchObject({ status: 'error', metadata: { timedOut: true } });
    const pids = [...result!.output.matchAll(/^\d+$/gm)].map(([pid]) => Number(pid));
    expect(pids).toHaveLength(2);
    await expectGone(pids);
    expect(client.calls.map(({ name }) => name)).toContain('terminal-kill');
  });

  test('shows its output while running and is killed when the workflow is stopped', async () => {
    const { engine, client } = await lendingWithoutGit([bash('echo begun; sleep 60')]);
    const { workflowId, runId } = await engine.send('Work');
    const shown = await engine.event('tool-output', ({ tail }) => tail.includes('begun'));
    expect(shown.runId).toBe(runId);
    await engine.runtime.request('workflow.stop', { workflowId });
    await engine.ended(workflowId);
    expect(results(engine)[0]).toMatchObject({ status: 'cancelled' });
    expect(client.terminals.get('t1')?.child.signalCode).toBe('SIGKILL');
  });

  test('ends with an error and is killed when the client disconnects', async () => {
    const { engine, client } = await lendingWithoutGit([bash('echo $$ > pid; sleep 60')]);
    const { workflowId } = await engine.send('Work');
    await engine.event('tool-start');
    await eventually(() => expect(client.calls.some(({ name }) => name === 'terminal-output')).toBe(true));
    const pid = client.terminals.get('t1')!.child.pid!;
    client.leave();
    await engine.ended(workflowId);
    expect(results(engine)[0]).toMatchObject({
      status: 'error',
      output: expect.stringContaining('The client went') as string,
    });
    await expectGone([pid]);
  });

  test('is not run elsewhere if the client disconnects, and a later read-only command uses no terminal', async () => {
    const { engine, client } = await lendingWithoutGit(
      [bash('echo ran > ran.txt'), bash('ls', { background: true, read_only: true })],
      {
        person: (approval, item) => {
          client.leave();
          return yes(approval, item);
        },
      },
    );
    await writeFile(join(engine.folder, 'a.txt'), '');
    await engine.ask('Work');
    expect(results(engine)[0]).toMatchObject({
      status: 'error',
      output: expect.stringContaining('nothing was run') as string,
    });
    expect(engine.of('approval-request')[1]?.approval.subject).not.toHaveProperty('terminal');
    expect(client.calls).toEqual([]);
  });
});
