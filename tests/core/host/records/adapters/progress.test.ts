/** What an observer of progress is told of sub-agents. */
import { expect, test } from 'vitest';
import { observe, type ProgressObserver } from '#core/host/records/adapters/progress.ts';
import { recordedTrouble, recordedWorkflow, troubled } from '../../../../support/events.ts';
import { Recording, reviewer, usageOf } from '../../../../support/recording.ts';
import { recordedServing } from '../../../../support/flows/served.ts';

type Call = [name: keyof ProgressObserver, told: object];

function told({ events }: Recording): Call[] {
  const calls: Call[] = [];
  const observer: ProgressObserver = {
    onAgentSpawn: (spawn) => calls.push(['onAgentSpawn', spawn]),
    onAgentComplete: (complete) => calls.push(['onAgentComplete', complete]),
    onAgentError: (error) => calls.push(['onAgentError', error]),
  };
  for (const event of events) observe(event, observer);
  return calls;
}

test('the start, then the first 100 characters of the summary; nothing of the lead', () => {
  const who = { runId: reviewer.runId, agent: 'code-reviewer' };
  const summary =
    'The parser drops the last line when it has no line end. Two tests miss it. Two tests miss it. Two te';
  expect([...summary]).toHaveLength(100);
  expect(told(recordedWorkflow())).toEqual([
    ['onAgentSpawn', { ...who, attempt: 1, text: '→ Running code-reviewer agent...' }],
    ['onAgentComplete', { ...who, outcome: 'completed', text: `  ${summary}…` }],
  ]);
});

test('an error names the agent, its type and how bad it is', () => {
  const errors = told(recordedTrouble()).filter(([name]) => name === 'onAgentError');
  const { turnedDown, stuck, endless } = troubled;
  expect(errors.map(([, error]) => error)).toMatchObject([
    { runId: turnedDown.runId, agent: 'shell-user', errorType: 'not_allowed', severity: 'warning' },
    { runId: endless.runId, errorType: 'max_iterations', outcome: 'budget_exceeded', severity: 'error' },
    { runId: stuck.runId, errorType: 'interrupted', severity: 'warning' },
    {
      runId: stuck.runId,
      errorType: 'doom_loop',
      severity: 'error',
      message: 'Ended: doom_loop',
      text: '✗ test-generator: doom_loop (error)',
    },
  ]);
});

test('a resumed sub-agent is told again, with the number of its attempt', () => {
  const starts = told(recordedTrouble()).filter(([name]) => name === 'onAgentSpawn');
  expect(starts.map(([, spawn]) => spawn)).toMatchObject([
    { agent: 'test-generator', attempt: 1 },
    { agent: 'documentation-writer', attempt: 1 },
    { agent: 'test-generator', attempt: 2 },
  ]);
});

test.for([
  ['completed', null],
  ['partial', null],
  ['cancelled', 'warning'],
  ['rejected', 'warning'],
  ['interrupted', 'warning'],
  ['timed_out', 'error'],
  ['budget_exceeded', 'error'],
  ['refused', 'error'],
  ['error', 'error'],
] as const)('the outcome %s has the severity %s', ([outcome, severity]) => {
  const recording = new Recording();
  recording.record(reviewer, {
    type: 'run-end',
    outcome,
    text: 'Done.',
    error: null,
    durationMs: 1,
    usage: usageOf(),
  });
  expect(told(recording)).toMatchObject([
    severity === null
      ? ['onAgentComplete', { text: '  Done.' }]
      : ['onAgentError', { severity, errorType: outcome, message: outcome }],
  ]);
});

test('a coagent and a stage are told as they start and end, like sub-agents', () => {
  const calls = told(recordedServing()).map(([name, one]) => `${name} ${'agent' in one ? String(one.agent) : ''}`);
  const run = (agent: string) => [`onAgentSpawn ${agent}`, `onAgentComplete ${agent}`];
  expect(calls).toEqual([
    ...['onAgentSpawn writer', ...run('proofreader'), 'onAgentComplete writer'],
    ...[...run('editor'), ...run('checker'), ...run('critic'), ...run('critic')],
  ]);
});
