// Plans, bounds, working time and the mark of the demo: the view holds what the engine stores.
import { describe, expect, it } from 'vitest';
import type { RunRow, Snapshot, WorkflowRow } from '#contract/view.ts';
import { attach, fromSnapshot, reduce, type View } from '#lib/view/reduce.ts';
import { emptyConversation, Rows } from '../support/rows.ts';
import { envelopeOf } from '../../support/envelope.ts';
import { type RecordedRun, Recording } from '../../support/recording.ts';

const STEPS = [
  { content: 'Read', status: 'completed', priority: 'high' },
  { content: 'Write', status: 'in_progress', priority: 'medium' },
] as const;

function spend(story: Recording, voice: RecordedRun): void {
  const request = {
    requestId: story.newId(),
    provider: 'demo',
    model: 'demo',
    turn: 0,
    attempt: 1,
    inputTokens: 10,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: 5,
    thinkingTokens: 0,
    reported: true,
    stopReason: null,
    error: null,
    startedAt: story.at,
    firstTokenMs: 1,
    durationMs: 2,
    priceVersion: null,
    nanoUsd: 0,
  };
  voice.say({ type: 'usage', request, worked: { runMs: 1200, workflowMs: 3400 } });
}

function bounded(): Recording {
  const story = new Recording();
  const { lead } = story.startWorkflow('Do it');
  const child = lead.child('helper');
  lead.say({ type: 'plan-change', items: [...STEPS] });
  child.queue('spawn', 'Look.', 'toolu_1');
  child.start('Look.');
  child.say({ type: 'plan-change', items: [STEPS[1]] });
  spend(story, child);
  child.say({ type: 'limit-change', of: 'run', limits: { iterations: 40, tokens: 9 } });
  lead.say({ type: 'limit-change', of: 'workflow', limits: { costUsd: 2 } });
  child.end('budget_exceeded', 'half');
  story.endWorkflow(lead, 'budget_exceeded', '');
  lead.say({
    type: 'workflow-start',
    prompt: 'Do it',
    approve: 'all',
    attempt: 2,
    budget: { costUsd: 2 },
  });
  return story;
}

function played(): Recording {
  const story = new Recording();
  const { lead } = story.startWorkflow('Show it');
  lead.say({
    type: 'run-queue',
    kind: 'lead',
    depth: 0,
    name: 'lead',
    title: '',
    task: 'Show it',
    toolCallId: null,
    item: 0,
    parentChain: [],
    traceId: 't',
    envelopeHash: 'h',
    envelope: { ...envelopeOf('lead', 'Show it'), provider: 'demo' },
  });
  return story;
}

function both(story: Recording): { view: View; stored: Snapshot } {
  const rows = new Rows();
  for (const event of story.events) rows.take(event);
  const lists = { workflows: [], runs: [], calls: [], approvals: [], open: [] };
  const empty = { seq: 0, conversation: emptyConversation(), more: false, entries: {}, ...lists };
  return { view: reduce(fromSnapshot(empty), story.events), stored: rows.snapshot() };
}

function firstOf(view: View): { workflow: WorkflowRow; child: RunRow } {
  const [workflow] = view.workflows;
  const child = view.runs.find(({ parentRunId }) => parentRunId !== null);
  if (!workflow || !child) throw new Error('the story has a workflow with a sub-agent');
  return { workflow, child };
}

describe('the view of plans and limits', () => {
  it('equals the stored plans, limits and working time', () => {
    const { view, stored } = both(bounded());
    expect(view).toEqual(fromSnapshot(stored));
    const { workflow, child } = firstOf(view);
    expect(child).toMatchObject({ plan: [STEPS[1]], limits: { iterations: 40, tokens: 9 }, workedMs: 1200 });
    expect(workflow).toMatchObject({ budget: { costUsd: 2 }, workedMs: 3400, approve: 'all', attempt: 2 });
    expect(view.runs.find(({ parentRunId }) => parentRunId === null)?.plan).toEqual(STEPS);
  });

  it('is equal from a snapshot at any event', () => {
    const { events } = bounded();
    const { view } = both(bounded());
    for (let cut = 0; cut <= events.length; cut += 1) {
      const rows = new Rows();
      for (const event of events.slice(0, cut)) rows.take(event);
      expect(attach(rows.snapshot(), events.slice(cut))).toEqual(view);
    }
  });

  it('marks a workflow of the demo provider', () => {
    const { view, stored } = both(played());
    expect(view).toEqual(fromSnapshot(stored));
    expect(view.workflows[0]?.demo).toBe(true);
    expect(both(bounded()).view.workflows[0]?.demo).toBeUndefined();
  });
});
