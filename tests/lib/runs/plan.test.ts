// A plan says how far it is and what comes next.
import { describe, expect, it } from 'vitest';
import type { PlanItem } from '#contract/message.ts';
import { progressOf } from '#lib/runs/plan.ts';

const step = (content: string, status: PlanItem['status']): PlanItem => ({
  content,
  status,
  priority: 'medium',
});

describe('progressOf', () => {
  it('returns the step in progress, else the next pending step, else none', () => {
    const done = step('a', 'completed');
    const next = step('b', 'pending');
    const now = step('c', 'in_progress');
    expect(progressOf([done, next, now])).toEqual({ done: 1, all: 3, current: now });
    expect(progressOf([done, next])).toEqual({ done: 1, all: 2, current: next });
    expect(progressOf([done])).toEqual({ done: 1, all: 1, current: null });
  });
});
