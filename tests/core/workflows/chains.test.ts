/** A chain: its stages run one after the other in the slot of the first, and its lead gets one report. */
import { describe, expect, test } from 'vitest';
import { CHAIN, chainScript, startChain } from '../../support/chains.ts';
import { delegateTo, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { type Harness, outcomes } from '../../support/engine.ts';
import { Gate } from '../../support/gate.ts';

/** What the lead was told by its first call. */
async function resultOf({ store, of }: Harness): Promise<Record<string, unknown>> {
  const lead = of('run-start').find(({ parentRunId }) => parentRunId === null)!;
  const entries = await store.entriesOf(lead.runId);
  const entry = entries.find(({ kind }) => kind === 'tool');
  return JSON.parse(entry?.kind === 'tool' ? entry.output : '{}') as Record<string, unknown>;
}

const rows = async ({ store }: Harness, workflowId: string) => (await store.runsOf([workflowId])).slice(1);

describe('a chain', () => {
  test('goes through its stages after one yes, and its last report is the report', async () => {
    const engine = await startChain(chainScript());
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(['completed', 'completed', 'completed', 'completed']);
    expect(end.subAgents.map(({ agent, kind }) => [agent, kind])).toEqual([
      ['research', 'delegate'],
      ['draft', 'chain'],
      ['polish', 'chain'],
    ]);
    const [approval] = engine.of('approval-request');
    expect(engine.of('approval-request')).toHaveLength(1);
    const { subject } = approval!.request;
    const envelope = subject.kind === 'envelopes' ? subject.items[0]!.envelope : null;
    expect(envelope?.stages.map(({ agent }) => agent)).toEqual(['draft', 'polish']);
    const [first, draft, polish] = await rows(engine, end.workflowId);
    expect([draft, polish].map((row) => [row!.parentRunId, row!.place, row!.depth, row!.toolCallId])).toEqual([
      [first!.id, 1, 1, first!.toolCallId],
      [first!.id, 2, 1, first!.toolCallId],
    ]);
    expect(draft).toMatchObject({ kind: 'chain', title: 'draft', parentChain: ['user', 'lead', 'research', 'draft'] });
    expect(JSON.parse(draft!.task)).toEqual({
      facts: ['It rains.'],
      reason: 'Chained execution from agent__research',
    });
    expect(polish!.task).toBe('It rains, they say.');
    expect({ ...draft!.envelope }).toEqual({ ...envelope!.stages[0], prompt: draft!.task, stages: [] });
    expect(await resultOf(engine)).toMatchObject({
      success: true,
      child_id: first!.id,
      report: 'Rain is coming.',
      chained_stages: [
        { stage: 1, agent: 'draft', child_id: draft!.id, outcome: 'completed' },
        { stage: 2, agent: 'polish', child_id: polish!.id, outcome: 'completed' },
      ],
    });
    expect(await engine.store.workflow(end.workflowId)).toMatchObject({ subAgentCount: 1 });
  });
});
