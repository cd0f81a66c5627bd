/** The person edits a stage and a coagent of a sub-agent: what they approved is exactly what runs. */
import { expect, test } from 'vitest';
import type { Envelope } from '#contract/agent.ts';
import { canonicalHash } from '#core/base/hash.ts';
import type { Harness } from '../../support/engine.ts';
import { chainScript, resultOf, stagesOf, startChain } from '../../support/flows/chains.ts';
import { done, pair, startFlow } from '../../support/flows/flows.ts';
import { text } from '../../support/fake-model/script.ts';

async function firstQuestion(engine: Harness) {
  const { workflowId } = await engine.send('Find facts');
  const { approval } = await engine.event('approval-request');
  if (approval.subject.kind !== 'envelopes') throw new Error('No sub-agent was asked for');
  const { envelope } = approval.subject.items[0]!;
  const decide = (value: Envelope) =>
    engine.runtime.request('approval.decide', { approvalId: approval.id, item: 0, answer: { kind: 'edit', value } });
  return { workflowId, envelope, decide };
}

test('an edited stage runs with its prompt, tools and limits, and the lead reads the changes', async () => {
  const engine = await startChain(chainScript(), { person: () => null });
  const { workflowId, envelope, decide } = await firstQuestion(engine);
  const [draft, polish] = envelope.stages;
  const tools = draft!.tools.filter((tool) => tool !== 'bash');
  const systemPrompt = `${draft!.systemPrompt} Briefly.`;
  const edited = { ...draft!, systemPrompt, tools, limits: { ...draft!.limits, maxIterations: 2 } };
  await decide({ ...envelope, stages: [edited, polish!] });
  expect((await engine.ended(workflowId)).outcome).toBe('completed');

  const asked = engine.model.requests.find(({ body }) => JSON.stringify(body.system).includes('You draft.'))!;
  expect(JSON.stringify(asked.body.system)).toContain('Briefly.');
  expect(asked.body.tools?.map(({ name }: { name: string }) => name)).not.toContain('bash');
  const run = (await stagesOf(engine, workflowId)).find(({ agent }) => agent === 'draft')!;
  expect(run.envelope).toMatchObject({ systemPrompt, tools, limits: { maxIterations: 2 } });
  const [decision] = engine.of('approval-decide').map((event) => event.decision);
  expect(decision!.hashAfter).toBe(canonicalHash(decision!.edited));
  expect(JSON.stringify(resultOf(engine))).toContain('stages.0.limits.maxIterations: ');
});

test('an edited coagent runs with its prompt', async () => {
  const script = pair(['First.'], { First: done('Good.') });
  const engine = await startFlow(script, { flow: { type: 'judge' }, as: 'sub', person: () => null });
  const { workflowId, envelope, decide } = await firstQuestion(engine);
  const coagent = { ...envelope.flow!.coagent!, systemPrompt: `${envelope.flow!.coagent!.systemPrompt} Be strict.` };
  await decide({ ...envelope, flow: { ...envelope.flow!, coagent } });
  await engine.ended(workflowId);
  const runs = await stagesOf(engine, workflowId);
  expect(runs.find(({ kind }) => kind === 'coagent')!.envelope.systemPrompt).toContain('Be strict.');
});

test('rejects an edit that gives a stage more tools, and leaves the approval open', async () => {
  const engine = await startChain(chainScript({ polish: { blocks: [text('Rain.')] } }), { person: () => null });
  const { envelope, decide } = await firstQuestion(engine);
  const [draft, polish] = envelope.stages;
  const wider = { ...draft!, tools: [...draft!.tools, 'spawn_agent'] };
  await expect(decide({ ...envelope, stages: [wider, polish!] })).rejects.toMatchObject({ code: 'not_allowed' });
  await expect(decide({ ...envelope, stages: [draft!] })).rejects.toMatchObject({ code: 'bad_input' });
  expect(engine.of('approval-decide')).toEqual([]);
  expect(engine.of('run-start')).toHaveLength(1);
});
