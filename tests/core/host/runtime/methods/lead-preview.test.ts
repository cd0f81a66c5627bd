/** What choosing an agent as lead would run, as it is shown before the first message: the envelope that the message gets, without the environment. */
import { expect, test } from 'vitest';
import { withAgents } from '../../../../support/compose.ts';
import { startEngine } from '../../../../support/engine.ts';
import { definitionOf } from '../../../../support/envelope.ts';
import { plainAnswer } from '../../../../support/fake-model/scenarios.ts';

test('previews the settings, coagent, instructions and maximum number of requests of a lead, and starts nothing', async () => {
  const guide = '# How we work';
  const engine = await startEngine(plainAnswer(), {
    files: { 'AGENTS.md': guide, '.triad/config.toml': '[limits.run]\nmax_iterations = 5\n' },
  });
  const { runtime, folder, trust } = engine;
  await trust.add(folder, 'AGENTS.md', guide);
  await trust.add(folder, '.triad/config.toml', '[limits.run]\nmax_iterations = 5\n');
  const handoff = { type: 'static', text: 'Look' } as const;
  const flow = { type: 'judge', rounds: 2, primary: 'lead', coagent: 'critic', handoff } as const;
  const lead = (await engine.agents.of(folder)).get('lead')!;
  withAgents(engine.agents, [{ ...lead, name: 'both', flow }, definitionOf({ name: 'critic', maxIterations: 3 })]);
  const { envelope, worst } = await runtime.request('agents.preview', { agent: 'both' });
  expect(envelope).toMatchObject({
    agent: 'both',
    prompt: '-',
    folder,
    limits: { maxIterations: 5 },
    instructions: [{ path: 'AGENTS.md', text: guide }],
    flow: { type: 'judge', rounds: 2, coagent: { agent: 'critic' } },
  });
  // Its turns and the report, and critic twice.
  expect(worst.requests).toBe(6 + 2 * 4);
  await expect(runtime.request('agents.preview', { agent: 'nobody' })).rejects.toMatchObject({ code: 'not_found' });
  expect(engine.model.requests).toHaveLength(0);
  const plain = await runtime.request('agents.preview', { agent: 'lead' });
  await engine.ask('Say hi');
  const [queued] = engine.of('run-queue');
  const { environment, ...sent } = queued!.envelope;
  expect(environment).toMatchObject({ entries: expect.arrayContaining(['AGENTS.md']) as string[] });
  expect({ ...sent, prompt: '-' }).toEqual(plain.envelope);
});
