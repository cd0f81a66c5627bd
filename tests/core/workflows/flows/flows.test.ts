/** Every control flow on the real engine: who ends it, what each is told, and what comes of bounds that are hit. */
import { describe, expect, test } from 'vitest';
import { type Script, toolUse } from '../../../support/fake-model/script.ts';
import {
  asked,
  CHECKER,
  done,
  handoffs,
  pair,
  startFlow,
  type FlowOptions,
  WORKER,
} from '../../../support/flows/flows.ts';
import { variations } from '../../../support/samples.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

const { start } = sharedEngine();
const inOne = (script: Script, options: FlowOptions) => startFlow(script, options, start);

describe('hitl', () => {
  test('ends with the first whole answer and has no handoff', async () => {
    const engine = await inOne(pair(['The page.']), { flow: { type: 'hitl', rounds: 1 } });
    const end = await engine.ask('Write the page.');
    expect(end).toMatchObject({ outcome: 'completed', text: 'The page.' });
    expect(handoffs(engine.events)).toEqual([]);
    expect(engine.model.requests).toHaveLength(1);
  });
});

describe('loop', () => {
  test('without a coagent sends the handoff prompt back to the agent until the agent calls task_complete', async () => {
    const engine = await inOne(pair(['Half.', 'More.', done('All of it.')]), {
      flow: { type: 'loop', handoff: { type: 'static', text: 'Go on, please.' } },
    });
    const end = await engine.ask('Write the page.');
    expect(end).toMatchObject({ outcome: 'completed', text: 'All of it.', error: null });
    const out = handoffs(engine.events);
    expect(out).toMatchObject([
      { from: 'lead', to: 'lead', runId: null, round: 1, rounds: 3 },
      { from: 'lead', to: 'lead', runId: null, round: 2, rounds: 3 },
    ]);
    expect(asked(engine, WORKER).map(({ seen }) => seen.asked)).toEqual([
      'Write the page.',
      ...out.map(({ prompt }) => prompt),
    ]);
    expect(out[0]?.prompt).toMatch(/^Go on, please\.\n\n.*task_complete/);
    expect(engine.of('run-queue')).toHaveLength(1);
  });

  test('with a coagent sends the words of the coagent unchanged as the next prompt', async () => {
    const engine = await inOne(pair(['Half.', done('All of it.')], { Half: 'Now the other half.' }), {
      flow: { type: 'loop', coagent: 'checker' },
    });
    const end = await engine.ask('Write the page.');
    expect(end).toMatchObject({ outcome: 'completed', text: 'All of it.' });
    expect(handoffs(engine.events)).toMatchObject([{ to: 'checker' }, { to: 'lead', back: { outcome: 'completed' } }]);
    expect(asked(engine, WORKER)[1]?.seen.asked).toBe('Now the other half.');
    expect(asked(engine, CHECKER)[0]?.seen.tools).not.toContain('task_complete');
    expect(engine.of('run-end').at(-1)).not.toHaveProperty('reviews');
  });

  test('ends as partial after its last round, without another request to the coagent', async () => {
    const engine = await inOne(pair(['One.', 'Two.'], { One: 'Go on.', Two: 'Go on.' }), {
      flow: { type: 'loop', rounds: 2, coagent: 'checker' },
    });
    const end = await engine.ask('Write the page.');
    expect(end).toMatchObject({ outcome: 'partial', text: 'Two.', error: { code: 'rounds_used' } });
    expect(end.error?.message).toBe(
      'The 2 rounds of lead are used up, and lead has not called the work complete: the best answer is handed over',
    );
    expect(asked(engine, WORKER)).toHaveLength(2);
    expect(asked(engine, CHECKER)).toHaveLength(1);
  });
});

describe('judge', () => {
  test('ends at once if the judge approves, and stores the verdict with the answer', async () => {
    const engine = await inOne(pair(['The page.'], { page: done('Fits.\nScore: 93') }), {
      flow: { type: 'judge' },
    });
    const end = await engine.ask('Write the page.');
    expect(end).toMatchObject({ outcome: 'completed', text: 'The page.', error: null });
    const lead = engine.of('run-end').find(({ parentRunId }) => parentRunId === null);
    expect(lead?.reviews).toEqual([{ answer: 1, verdict: { passed: true, score: 93, critique: 'Fits.\nScore: 93' } }]);
    expect(engine.of('run-queue')[1]).toMatchObject({
      kind: 'coagent',
      depth: 0,
      name: 'checker',
      place: 1,
      toolCallId: null,
      parentChain: ['user', 'lead', 'checker'],
      envelope: { agent: 'checker', stages: [] },
    });
    const [out, back] = handoffs(engine.events);
    const own = engine.of('run-queue')[1];
    expect(out).toMatchObject({ from: 'lead', to: 'checker', runId: own?.runId, round: 1, rounds: 3, answer: 1 });
    expect(out?.prompt).toBe(own?.task);
    expect(back).toMatchObject({ from: 'checker', to: 'lead', runId: own?.runId, prompt: '' });
    expect(engine.of('run-start')[1]).toMatchObject({ serves: true });
  });

  test('sends the critique as the next prompt of the agent, and the judge starts each round without a history', async () => {
    const engine = await inOne(pair(['First.', 'Second.'], { First: 'No title.\nScore: 40', Second: done('Good.') }), {
      flow: { type: 'judge' },
    });
    const end = await engine.ask('Write the page.');
    expect(end).toMatchObject({ outcome: 'completed', text: 'Second.' });
    const told = asked(engine, WORKER)[1]?.seen.asked;
    expect(told).toContain('No title.');
    expect(told).toContain('is not accepted yet');
    const users = engine.of('message-end').flatMap(({ entry }) => (entry.kind === 'user' ? [entry] : []));
    expect(users.map(({ source }) => source)).toEqual(['person', 'parent', 'coagent', 'parent']);
    const judge = asked(engine, CHECKER);
    expect(judge.map(({ seen }) => seen.turn)).toEqual([1, 1]);
    expect(judge[1]?.seen.prompt).toContain('## What you said in the round before\n\nNo title.');
    expect(handoffs(engine.events).map(({ round }) => round)).toEqual([1, 1, 2, 2]);
  });

  test('replaces template variables that are written with spaces', async () => {
    const script = pair(['The page.']);
    script.on({ ...CHECKER, prompt: /^Round 1 of 3: The page\./ }).reply(done('Fits.'));
    const handoff = { type: 'template', text: 'Round {{ round }} of {{max_rounds}}: {{ answer }}' } as const;
    const engine = await inOne(script, { flow: { type: 'judge', handoff } });
    expect(await engine.ask('Write the page.')).toMatchObject({ outcome: 'completed', text: 'The page.' });
  });

  test('reviews the last answer too and returns the answer with the best score, the later of equal scores', async () => {
    const engine = await inOne(
      pair(['First.', 'Second.', 'Third.'], {
        First: 'No.\nScore: 60',
        Second: 'No.\nScore: 60',
        Third: 'Worse.\nScore: 20',
      }),
      { flow: { type: 'judge', rounds: 3 } },
    );
    const end = await engine.ask('Write the page.');
    expect(end).toMatchObject({ outcome: 'partial', text: 'Second.', error: { code: 'rounds_used' } });
    expect(asked(engine, CHECKER)).toHaveLength(3);
    expect(asked(engine, WORKER)).toHaveLength(3);
  });

  test('gives the judge only reading tools and task_complete, and no tool that starts sub-agents', async () => {
    const engine = await inOne(pair(['The page.'], { page: done('Fits.') }), { flow: { type: 'judge' } });
    await engine.ask('Write the page.');
    const [judge] = asked(engine, CHECKER);
    expect(judge?.seen.tools).toEqual(expect.arrayContaining(['read_file', 'grep', 'task_complete']));
    for (const name of [
      'write_file',
      'memory',
      'todo_write',
      'bash_jobs',
      'edit_file',
      'bash',
      'spawn_agent',
      'delegate_task',
      'parallel_tasks',
      'web_fetch',
    ])
      expect(judge?.seen.tools).not.toContain(name);
    expect(asked(engine, WORKER)[0]?.seen.tools).toEqual(expect.arrayContaining(['write_file', 'spawn_agent']));
  });
});

describe('smart', () => {
  const write = toolUse('write_file', { path: 'page.md', content: 'The page, with its title.\n' });

  test('appends the words of the coagent to the answer if the coagent has changed something', async () => {
    const engine = await inOne(pair(['The page.'], { page: [[write], done('I added the title.')] }), {
      flow: { type: 'smart' },
    });
    const end = await engine.ask('Write the page.');
    expect(end).toMatchObject({ outcome: 'completed', text: 'The page.\n\nI added the title.' });
    const [, back] = handoffs(engine.events);
    expect(back).toMatchObject({ prompt: 'I added the title.', back: { review: { verdict: { passed: true } } } });
    const by = engine.of('message-end').flatMap(({ entry }) => (entry.kind === 'assistant' && entry.by ? [entry] : []));
    expect(by).toMatchObject([{ by: 'checker', parts: [{ type: 'text', text: 'I added the title.' }] }]);
    expect(engine.of('approval-request')[0]?.approval).toMatchObject({
      agent: 'checker',
      chain: ['user', 'lead', 'checker'],
    });
  });

  test('leaves the answer unchanged if the coagent only reads and approves', async () => {
    const look = toolUse('list_directory', { path: '.' });
    const engine = await inOne(pair(['The page.'], { page: [[look], done('Fits.')] }), { flow: { type: 'smart' } });
    expect(await engine.ask('Write the page.')).toMatchObject({ outcome: 'completed', text: 'The page.' });
  });

  test.for(
    variations([
      ['I added the title.', '{"page":"short"}'],
      ['{"page":"with a title"}', '{"page":"with a title"}'],
      ['{"pages":1}', '{"page":"short"}'],
    ]),
  )('does not append to a JSON answer: a completion with %s gives %s', async ([summary, answer]) => {
    const schema = { type: 'object', required: ['page'] };
    const engine = await inOne(pair(['{"page":"short"}'], { page: [[write], done(summary!)] }), {
      flow: { type: 'smart' },
      worker: { output: { format: 'json', schema } },
    });
    expect(await engine.ask('Write the page.')).toMatchObject({ outcome: 'completed', text: answer, error: null });
    expect(handoffs(engine.events)[0]?.prompt).toContain('"required": [');
  });

  test('leaves the answer unchanged if the call of the coagent was rejected', async () => {
    const engine = await inOne(pair(['The page.'], { page: [[write], done('Could not.')] }), {
      flow: { type: 'smart' },
      person: () => ({ kind: 'reject', reason: 'No.' }),
    });
    expect(await engine.ask('Write the page.')).toMatchObject({ outcome: 'completed', text: 'The page.' });
  });
});

describe('chat', () => {
  test('lets agent and coagent take turns until the coagent calls task_complete', async () => {
    const engine = await inOne(
      pair(['A question?', 'I see.', 'The page.'], {
        question: 'An answer.',
        'I see': 'Then write.',
        page: done('I checked the dates.'),
      }),
      { flow: { type: 'chat', rounds: 10 } },
    );
    const end = await engine.ask('Write the page.');
    expect(end).toMatchObject({ outcome: 'completed', text: 'The page.\n\nI checked the dates.' });
    expect(asked(engine, WORKER).map(({ seen }) => seen.asked)).toEqual([
      'Write the page.',
      'An answer.',
      'Then write.',
    ]);
  });

  test('gives the coagent its own earlier rounds as its history', async () => {
    const checks = { One: 'Go on, first.', Two: 'Go on, second.', Three: done('Done.') };
    const engine = await inOne(pair(['One.', 'Two.', 'Three.'], checks), { flow: { type: 'chat', rounds: 10 } });
    await engine.ask('Write the page.');
    const texts = asked(engine, CHECKER).map(({ body }) => JSON.stringify(body.messages));
    expect(texts.map((text) => [text.includes('Go on, first.'), text.includes('Go on, second.')])).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
    expect(asked(engine, CHECKER).map(({ seen }) => seen.turn)).toEqual([1, 2, 3]);
  });

  test('ends as partial after its last round', async () => {
    const engine = await inOne(pair(['One.', 'Two.'], { One: 'Go on.', Two: 'Go on.' }), {
      flow: { type: 'chat', rounds: 2 },
    });
    const end = await engine.ask('Write the page.');
    expect(end).toMatchObject({ outcome: 'partial', text: 'Two.', error: { code: 'rounds_used' } });
    expect(end.error?.message).toContain('The 2 rounds of lead are used up, and checker has not called');
  });
});

test.for(['judge', 'smart', 'loop'] as const)('a coagent in %s begins each round without a history', async (type) => {
  const checks = { One: 'Go on, first.', Two: 'Go on, second.' };
  const flow = { type, rounds: 3, coagent: 'checker' };
  const engine = await inOne(pair(['One.', 'Two.', done('Three.')], checks), { flow });
  await engine.ask('Write the page.');
  expect(asked(engine, CHECKER).map(({ seen }) => seen.turn)).toEqual(asked(engine, CHECKER).map(() => 1));
  expect(asked(engine, CHECKER).length).toBeGreaterThan(1);
});

test.for(['judge', 'smart', 'chat'] as const)(
  '%s: task_complete is offered to the coagent and not to the primary agent',
  async (type) => {
    const engine = await inOne(pair(['The page.'], { page: done('Fits.') }), { flow: { type } });
    expect(await engine.ask('Write the page.')).toMatchObject({ outcome: 'completed' });
    expect(asked(engine, CHECKER)[0]?.seen.tools).toContain('task_complete');
    expect(asked(engine, WORKER)[0]?.seen.tools).not.toContain('task_complete');
  },
);

test.for<[FlowOptions['flow'], string]>([
  [{ type: 'hitl' }, 'lead (worker) works alone, until its first whole answer'],
  [{ type: 'loop' }, 'lead (worker) works alone until it calls the work complete, for at most 1 round'],
  [
    { type: 'loop', coagent: 'checker' },
    'lead (worker) and checker take turns until lead calls the work complete, for at most 1 round',
  ],
  [{ type: 'judge' }, 'lead (worker) works, and checker judges each of its answers, for at most 1 round'],
  [{ type: 'judge', primary: 'lead' }, 'lead works, and checker judges each of its answers, for at most 1 round'],
  [
    { type: 'smart', rounds: 2 },
    'lead (worker) works, and checker judges each of its answers or completes it itself, for at most 2 rounds',
  ],
  [{ type: 'chat' }, 'lead (worker) and checker take turns until checker calls the work complete, for at most 1 round'],
])('with %j the first notice describes the control flow and names its agents', async ([flow, sentence]) => {
  const engine = await inOne(pair(['The page.'], { page: done('Fits.') }), { flow: { rounds: 1, ...flow } });
  await engine.ask('Write the page.');
  expect(engine.of('notice')).toMatchObject([{ level: 'info', text: sentence }]);
});
