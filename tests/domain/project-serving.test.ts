/** The rows of coagents and stages: below the run that they serve, and counted as none of the sub-agents. */
import { describe, expect, test } from 'vitest';
import { recordedServing, served } from '../support/flows/served.ts';
import { projectedRows } from '../support/memory-rows.ts';

describe('coagents and stages', () => {
  const rows = projectedRows(recordedServing().durable);

  test('are excluded from the sub-agent count of a workflow, and included in its agent list', () => {
    expect(rows.get('workflow', served.lead.workflowId)).toMatchObject({
      subAgentCount: 1,
      agents: ['lead', 'writer', 'proofreader', 'editor', 'checker', 'critic'],
    });
  });

  test('have execution rows with their parent, place in the chain, kind and trigger', () => {
    const { lead: chief, writer, editor, checker, proofreader, critics } = served;
    const execution = ({ runId }: typeof served.lead) => rows.get('sub_agent_execution', runId) ?? {};
    const below = { parent_execution_id: writer.runId, parent_agent_id: writer.runId };
    for (const [index, stage] of [editor, checker].entries())
      expect(execution(stage)).toMatchObject({
        ...below,
        kind: 'chain',
        chain_trigger: 'next',
        chain_index: index + 1,
        parent_chain: ['user', 'lead', 'writer', stage.agent],
      });
    expect(execution(proofreader)).toMatchObject({ ...below, kind: 'coagent' });
    expect(execution(critics[1])).toMatchObject({ parent_execution_id: chief.runId });
    for (const who of [proofreader, ...critics]) expect(execution(who)).not.toHaveProperty('chain_trigger');
    expect(execution(writer)).not.toHaveProperty('parent_execution_id');
    expect([editor, critics[1]].map(({ runId }) => rows.get('run', runId)?.place)).toEqual([1, 2]);
  });
});
