/** What a trusted project sets: limits only lower the person's, and its sessions are kept where it says. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_WORKFLOW_LIMITS } from '#contract/limits.ts';
import { idleLimits, loweredLimits } from '#core/settings/project-config.ts';
import { startEngine } from '../../support/engine.ts';
import { LEAD, plainAnswer } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { folderWith } from '../../support/workspace.ts';
import { settingsOf } from '../../support/compose.ts';
import { variations } from '../../support/samples.ts';

const CONFIG = '.triad/config.toml';
const spawn = toolUse('spawn_agent', { operation: 'spawn', name: 'one', prompt: 'Do it.' });

test('the lower of two limits applies, and an unset limit counts as unlimited', () => {
  const { limits } = settingsOf('limits.max_concurrent = 2\nlimits.run.max_minutes = 5\n');
  const project = new Map<string, number | boolean>([
    ['sessions.project', true],
    ['limits.max_concurrent', 3],
    ['limits.approval_seconds', 60],
    ['limits.run.max_minutes', 5],
    ['limits.run.max_tokens', 9000],
  ]);
  const lowered = loweredLimits(limits, project);
  expect(lowered).toEqual({ ...limits, approval_seconds: 60, run: { ...limits.run, max_tokens: 9000 } });
  expect(idleLimits(limits, project)).toEqual(['limits.max_concurrent', 'limits.run.max_minutes']);
});

test('limits of a project apply only while its current file is trusted', async () => {
  const config = `[limits]
max_sub_agents = 2
max_iterations_ceiling = 7
doom_loop_threshold = 2
approval_seconds = 9
inactivity_seconds = 20
workflow.max_tokens = 100000
`;
  const script = new Script().on({ ...LEAD, step: 1 }).reply([spawn]);
  const engine = await startEngine(script.on({}).reply([text('Done.')]), { files: { [CONFIG]: config } });
  const ask = async () => {
    const from = engine.events.length;
    await engine.ask('Go');
    const events = engine.events.slice(from);
    const queued = events.flatMap((event) => (event.type === 'run-queue' ? [event.envelope] : []));
    const asked = events.flatMap((event) => (event.type === 'approval-request' ? [event.approval.remainingMs] : []));
    const started = events.flatMap((event) => (event.type === 'workflow-start' ? [event.budget ?? null] : []));
    const system = engine.model.requests.at(-1)?.seen.system ?? '';
    const sees = /At most (\d) can be started/.exec(system)?.[1];
    return { limits: queued.map(({ limits }) => limits), asked, started, sees };
  };
  const before = await ask();
  const plain = { maxIterations: 200, inactivityMs: 300_000 };
  const child = { ...plain, maxIterations: 40, budget: { costUsd: 2 } };
  const started = [DEFAULT_WORKFLOW_LIMITS];
  expect(before).toEqual({ limits: [plain, child], asked: [300_000], started, sees: '3' });
  await engine.trust.add(engine.folder, CONFIG, config);
  const lowered = { maxIterations: 7, inactivityMs: 20_000, doomLoopThreshold: 2 };
  expect(await ask()).toEqual({
    limits: [lowered, { ...lowered, budget: { costUsd: 2 } }],
    asked: [9000],
    started: [{ ...DEFAULT_WORKFLOW_LIMITS, tokens: 100_000 }],
    sees: '2',
  });
  await writeFile(join(engine.folder, CONFIG), `${config}# changed\n`);
  expect(await ask()).toEqual(before);
});

test('a timeout does not approve if the project shortens the approval time', async () => {
  const settings = '[approvals]\non_timeout = "approve"\n';
  const config = 'limits.approval_seconds = 1\n';
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn])
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(script, { settings, files: { [CONFIG]: config } });
  const asked = async () => {
    await engine.ask('Go');
    const { onTimeout, remainingMs } = engine.of('approval-request').at(-1)!.approval;
    return { onTimeout, remainingMs };
  };
  expect(await asked()).toEqual({ onTimeout: 'approve', remainingMs: 300_000 });
  await engine.trust.add(engine.folder, CONFIG, config);
  expect(await asked()).toEqual({ onTimeout: undefined, remainingMs: 1000 });
});

const places = [
  [true, false],
  [false, true],
] as const;
test.for(variations(places))('sessions.project = %s of a trusted project wins over %s', async ([theirs, mine]) => {
  const config = `sessions.project = ${theirs}\n`;
  const data = await folderWith({});
  const settings = `sessions.project = ${mine}\n`;
  const engine = await startEngine(plainAnswer(), { data, settings, files: { [CONFIG]: config } });
  const { runtime, conversationId, folder } = engine;
  await engine.ask('Go');
  const place = async () => (await runtime.request('conversation.project', { conversationId })).folder;
  const root = (inProject: boolean) => (inProject ? join(folder, '.triad/sessions') : join(data, 'sessions'));
  expect((await place()).startsWith(root(mine))).toBe(true);
  await engine.trust.add(folder, CONFIG, config);
  expect((await place()).startsWith(root(theirs))).toBe(true);
  expect(await readdir(root(mine))).toEqual([]);
});

test('an edit of a sub-agent cannot exceed a limit that the trusted project lowers', async () => {
  const config = '[limits]\nmax_iterations_ceiling = 7\nrun.max_tokens = 5000\n';
  const spawn = toolUse('spawn_agent', { operation: 'spawn', name: 'one', prompt: 'Do it.' });
  const script = new Script().on({ ...LEAD, step: 1 }).reply([spawn]);
  const options = { files: { [CONFIG]: config }, person: () => null };
  const engine = await startEngine(script.on({}).reply([text('Done.')]), options);
  await engine.trust.add(engine.folder, CONFIG, config);
  const { workflowId } = await engine.send('Go');
  const { id: approvalId, subject } = (await engine.event('approval-request')).approval;
  if (subject.kind !== 'envelopes') throw new Error('nothing is asked about');
  const { envelope } = subject.items[0]!;
  const edit = (limits: object) => {
    const value = { ...envelope, limits: { ...envelope.limits, ...limits } };
    return engine.runtime.request('approval.decide', { approvalId, item: 0, answer: { kind: 'edit', value } });
  };
  await expect(edit({ maxIterations: 8 })).rejects.toMatchObject({
    code: 'not_allowed',
    message: 'maxIterations cannot be more than limits.max_iterations_ceiling allows (7)',
  });
  await expect(edit({ budget: { tokens: 5001 } })).rejects.toMatchObject({ code: 'not_allowed' });
  await edit({ maxIterations: 6 });
  expect((await engine.ended(workflowId)).subAgents).toMatchObject([{ agent: 'one', outcome: 'completed' }]);
});
