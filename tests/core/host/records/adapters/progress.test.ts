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

test('reports the start of a sub-agent and the first 100 characters of its summary, but nothing of the lead', () => {
  const who = { runId: reviewer.runId, agent: 'code-reviewer' };
  const summary =
    'The parser drops the last line when it has no line end. Two tests miss it. Two tests miss it. Two te';
  expect([...summary]).toHaveLength(100);
  expect(told(recordedWorkflow())).toEqual([
    ['onAgentSpawn', { ...who, attempt: 1, text: '→ Running code-reviewer agent...' }],
    ['onAgentComplete', { ...who, outcome: 'completed', text: `  ${summary}…` }],
  ]);
});

test('an error report names the agent, the error type and the severity', () => {
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

test('reports the start of a resumed sub-agent again, with its attempt number', () => {
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
] as const)('a sub-agent that ends with outcome %s is reported with severity %s', ([outcome, severity]) => {
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

test('reports the start and end of coagents and stages like those of sub-agents', () => {
  const calls = told(recordedServing()).map(([name, one]) => `${name} ${'agent' in one ? String(one.agent) : ''}`);
  const run = (agent: string) => [`onAgentSpawn ${agent}`, `onAgentComplete ${agent}`];
  expect(calls).toEqual([
    ...['onAgentSpawn writer', ...run('proofreader'), 'onAgentComplete writer'],
    ...[...run('editor'), ...run('checker'), ...run('critic'), ...run('critic')],
  ]);
});
