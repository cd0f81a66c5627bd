// Of every bound that is set it is known how much is used, and what is offered when it is reached.
import { describe, expect, it } from 'vitest';
import type { Entry } from '#contract/message.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import {
  boundsOfRun,
  boundsOfWorkflow,
  isReached,
  reachedBoundIn,
  visibleBounds,
  suggestedExtension,
} from '#lib/view/budgets.ts';
import { envelopeOf } from '../../support/envelope.ts';
import { Recording } from '../../support/recording.ts';
import { reduceStory } from '../support/flows.ts';

function rows(): { run: RunRow; workflow: WorkflowRow } {
  const story = new Recording();
  story.startWorkflow('Do it');
  const view = reduceStory(story);
  const [run] = view.runs;
  const [workflow] = view.workflows;
  if (!run || !workflow) throw new Error('the story has a workflow');
  return { run, workflow };
}

const usage = { ...ZERO_TALLY, requests: 3, inputTokens: 100, cacheReadTokens: 40, outputTokens: 60 };
const limits = { ...envelopeOf('a', 'b').limits, budget: { tokens: 200, costUsd: 0.5 } };

describe('limits of a run or workflow', () => {
  it('come from the run settings, and count tokens of all classes', () => {
    const { run } = rows();
    const bounded = { ...run, usage: { ...usage, nanoUsd: 5e8 }, envelope: { ...run.envelope, limits } };
    expect(boundsOfRun(bounded, [])).toEqual([
      { kind: 'tokens', used: 200, of: 200 },
      { kind: 'costUsd', used: 0.5, of: 0.5 },
      { kind: 'iterations', used: 3, of: 20 },
    ]);
    expect(boundsOfRun(bounded, []).map(isReached)).toEqual([true, true, false]);
  });

  it('use the values to which the person raised them', () => {
    const { run } = rows();
    const raised = { ...run, usage, limits: { minutes: 5, iterations: 40 }, workedMs: 90_000 };
    expect(boundsOfRun(raised, [])).toEqual([
      { kind: 'minutes', used: 1.5, of: 5 },
      { kind: 'iterations', used: 3, of: 40 },
    ]);
  });

  it('do not count failed requests', () => {
    const { run, workflow } = rows();
    const failed = { ...usage, failedRequests: 2 };
    const iterations = { kind: 'iterations', used: 1, of: 20 };
    expect(boundsOfWorkflow({ ...workflow, usage: failed, budget: { iterations: 20 } })).toEqual([iterations]);
    expect(boundsOfRun({ ...run, usage: failed, limits: { iterations: 20 } }, [])).toEqual([iterations]);
  });

  it('report an unknown cost if a price is unknown', () => {
    const { workflow } = rows();
    const unpriced = { ...workflow, usage: { ...usage, unpriced: 1 }, budget: { costUsd: 1 } };
    expect(boundsOfWorkflow(unpriced)).toEqual([{ kind: 'costUsd', used: null, of: 1 }]);
    expect(boundsOfWorkflow(unpriced).some(isReached)).toBe(false);
    expect(boundsOfWorkflow(workflow)).toEqual([]);
  });

  it.each(['iterations', 'costUsd'] as const)('show %s only once half of the limit is used', (kind) => {
    const few = [{ kind, used: 9, of: 20 }] as const;
    const many = [{ kind, used: 10, of: 20 }] as const;
    expect(visibleBounds(few, false)).toEqual([]);
    expect(visibleBounds(few, true)).toEqual(few);
    expect(visibleBounds(many, false)).toEqual(many);
    expect(visibleBounds([{ kind, used: null, of: 20 }], false)).toEqual([]);
  });
});

describe('a limit extension', () => {
  const bounds = [
    { kind: 'tokens', used: 250, of: 200 },
    { kind: 'minutes', used: 1, of: 5 },
    { kind: 'iterations', used: 4, of: 20 },
  ] as const;

  it('suggests doubling each exhausted limit', () => {
    expect(suggestedExtension(bounds, null)).toEqual({ tokens: 200 });
    expect(suggestedExtension(bounds, 'minutes')).toEqual({ tokens: 200, minutes: 5 });
    expect(suggestedExtension([], 'tokens')).toEqual({});
  });

  it('finds the reached limit in the entries of a run', () => {
    const at = '2026-01-02T03:04:05.000Z';
    const bound = { of: 'workflow', name: 'costUsd', value: 1 } as const;
    const remark: Entry = { kind: 'system', n: 1, at, code: 'budget', text: 'The budget is used up', bound };
    const resumed: Entry = { kind: 'system', n: 2, at, code: 'resumed', text: 'Resumed' };
    expect(reachedBoundIn([remark, resumed])).toEqual(bound);
    expect(reachedBoundIn([resumed])).toBeNull();
  });
});
