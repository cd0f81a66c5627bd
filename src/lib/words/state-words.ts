/** What states of work, of calls and of runs are called, and what the program remarks in a transcript. */
import type { RunKind } from '#contract/agent.ts';
import type { SystemEntry } from '#contract/message.ts';
import type { Phase } from '#lib/view/phase.ts';
import type { CallState } from '#lib/view/transcript.ts';

export const phases: Readonly<Record<Phase, string>> = {
  queued: 'queued',
  waiting: 'waiting for you',
  running: 'running',
  withdrawn: 'withdrawn',
  completed: 'completed',
  partial: 'partial',
  cancelled: 'cancelled',
  rejected: 'rejected',
  timed_out: 'timed out',
  budget_exceeded: 'budget exceeded',
  refused: 'refused',
  error: 'error',
  interrupted: 'interrupted',
};

export const calls: Readonly<Record<CallState, string>> = {
  writing: 'writing',
  waiting: 'waiting for you',
  pending: 'queued',
  running: 'running',
  completed: 'completed',
  error: 'error',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
};

export const kinds: Readonly<Record<RunKind, string>> = {
  lead: 'lead',
  spawn: 'spawned',
  delegate: 'delegated',
  parallel: 'parallel',
  chain: 'chain stage',
  coagent: 'coagent',
};

export const remarks: Readonly<Record<SystemEntry['code'], string>> = {
  cancelled: 'Cancelled',
  doom_loop: 'Repeats itself',
  max_iterations: 'Turn limit reached',
  budget: 'Budget used up',
  extended: 'Extended',
  retried: 'Tried again',
  resumed: 'Resumed',
  review: 'Review',
  forked: 'Forked here: what came after is not part of this conversation',
};
