/** An agent asks for a yes in its own words: yes, yes with changes, no, a second step, and what no answer in time is. */
import { expect, test } from 'vitest';
import type { Answer } from '#contract/approval.ts';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

const input = {
  action: 'Rewrite the whole history page',
  reason: 'It is too slow',
  impact: 'All of its tests',
};

const asking = (more: Record<string, unknown> = {}): Script =>
  new Script().step([toolUse('request_approval', { ...input, ...more })]).step([text('Done.')]);

async function run(answer: Answer | null, more: Record<string, unknown> = {}, settings = '') {
  const options = { person: () => answer };
  const engine =
    settings === '' ? await start(asking(more), options) : await startEngine(asking(more), { ...options, settings });
  const end = await engine.ask('Go');
  const [result] = engine.model.requests[1]?.seen.results ?? [];
  return { engine, end, result };
}

test('an approved action continues, and the request shows the action, the reason and the impact', async () => {
  const { engine, end, result } = await run({ kind: 'allow' });
  expect(end.outcome).toBe('completed');
  expect(result).toMatchObject({ isError: false, text: 'Approved: go on.' });
  const [asked] = engine.of('approval-request');
  expect(asked?.approval).toMatchObject({
    title: 'Go on with this: Rewrite the whole history page',
    subject: { kind: 'action', ...input },
    risk: 'medium',
    reversible: true,
  });
  expect(asked?.approval.grant).toBeUndefined();
});

test('an edited action reaches the agent, and the decision has the edit and the hashes of both versions', async () => {
  const action = 'Rewrite only its list';
  const { engine, result } = await run({ kind: 'edit', value: { ...input, reversible: true, action } });
  expect(result?.text).toContain(action);
  const [decided] = engine.of('approval-decide');
  expect(decided?.decision).toMatchObject({ outcome: 'edited', edited: { action } });
  expect(decided?.decision.hashAfter).not.toBe(decided?.decision.hashBefore);
});

test('a rejection reaches the agent with its reason', async () => {
  const { result } = await run({ kind: 'reject', reason: 'Not before the release' });
  expect(result).toMatchObject({ isError: true });
  expect(result?.text).toContain('Not before the release');
});

test('an irreversible action must be confirmed', async () => {
  const engine = await start(asking({ reversible: false }), { person: () => null });
  const { workflowId } = await engine.send('Go');
  const asked = await engine.event('approval-request');
  expect(asked.approval).toMatchObject({ risk: 'high', reversible: false });
  const decide = (answer: Answer) =>
    engine.runtime.request('approval.decide', { approvalId: asked.approval.id, answer });
  await expect(decide({ kind: 'allow' })).rejects.toThrow('confirm');
  await decide({ kind: 'allow', confirmed: true });
  expect((await engine.ended(workflowId)).outcome).toBe('completed');
});

test.each([
  { settings: '', allowed: false },
  { settings: '[approvals]\non_timeout = "approve"\n', allowed: true },
])('a timeout is answered according to the settings: $settings', async ({ settings, allowed }) => {
  const { engine, result } = await run(null, {}, `${settings}[limits]\napproval_seconds = 1\n`);
  const [decided] = engine.of('approval-decide');
  expect(decided?.decision).toMatchObject({ allowed, decidedBy: 'timeout' });
  expect(result?.isError).toBe(!allowed);
});

test('a timeout never allows an irreversible action', async () => {
  const settings = '[approvals]\non_timeout = "approve"\n[limits]\napproval_seconds = 1\n';
  const { engine } = await run(null, { reversible: false }, settings);
  expect(engine.of('approval-decide')[0]?.decision).toMatchObject({ allowed: false, decidedBy: 'timeout' });
});
