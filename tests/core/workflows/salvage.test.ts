/** Whatever way a sub-agent ends, its lead gets what it had, marked with the outcome; siblings are unaffected. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Outcome } from '#contract/outcome.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { type Harness, type HarnessOptions, outputOf, startEngine } from '../../support/engine.ts';
import { LEAD, reportOf, spawn } from '../../support/fake-model/scenarios.ts';
import { type ReplyOptions, Script, text, toolUse } from '../../support/fake-model/script.ts';
import { variations } from '../../support/samples.ts';

const FOUND = 'I found the first half.';
const broken = { status: 400, error: { type: 'invalid_request_error', message: 'odd' } };

/** The sub-agent says something and reads; then what is given here happens. Its sibling completes. */
function halfway(words: string, options: ReplyOptions): Script {
  return new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'half', prompt: 'Do half.' }), spawn({ name: 'whole', prompt: 'Do all.' })])
    .on(LEAD)
    .reply([text('I have what there is.')])
    .on({ prompt: /all/ })
    .reply([text(reportOf('all'))])
    .on({ lastUser: /You have no tools any more/ })
    .reply([], {})
    .on({ turn: 1 })
    .reply([text(FOUND), toolUse('list_directory', { path: '.' })])
    .on({})
    .reply([text(words, { deltas: 6, delayMs: 5 })], options);
}

async function run(
  script: Script,
  options: HarnessOptions = {},
  meanwhile: (engine: Harness, runId: string) => Promise<unknown> = () => Promise.resolve(),
) {
  const engine = await startEngine(script, options);
  const { workflowId } = await engine.send('Go');
  const start = await engine.event('run-start', (event) => event.agent === 'half');
  await meanwhile(engine, start.runId);
  const end = await engine.ended(workflowId);
  const row = await engine.store.run(start.runId);
  const handed = engine
    .of('tool-end')
    .map(({ entry }) => (entry.name === 'spawn_agent' ? outputOf(entry.output) : null))
    .filter((output) => output !== null);
  return { end, row, handed };
}

const speaking = async (engine: Harness, runId: string): Promise<void> => {
  await engine.event('message-delta', (event) => event.runId === runId && !FOUND.includes(event.text));
};

const cases: [Outcome, string, Script, HarnessOptions, ((engine: Harness, runId: string) => Promise<unknown>)?][] = [
  ['error', FOUND, halfway('', broken), {}],
  [
    'cancelled',
    'The',
    halfway('Then I go on for long', { hangAfter: 6 }),
    {},
    async (engine, runId) => {
      await speaking(engine, runId);
      await engine.runtime.request('run.stop', { runId });
    },
  ],
  ['budget_exceeded', FOUND, halfway('', {}), { settings: '[limits.run]\nmax_iterations = 2\n' }],
  [
    'timed_out',
    'Then I',
    halfway('Then I fall silent', { hangAfter: 5 }),
    { settings: '[limits]\ninactivity_seconds = 1\n' },
  ],
  ['partial', 'Then I write', halfway('Then I write', { stopReason: 'max_tokens' }), {}],
  ['refused', FOUND, halfway('', { stopReason: 'refusal' }), {}],
];

describe('the partial result of a sub-agent', () => {
  test.each(variations(cases, 3))(
    'reaches the lead with the outcome %s, and the sibling completes',
    async (outcome, words, script, options, meanwhile) => {
      if (outcome === 'budget_exceeded') {
        // Its second turn calls a tool again, so that the bound is reached; the report that it is asked for is empty.
        script.rules.at(-1)!.blocks = [toolUse('list_directory', { path: '.' })];
      }
      const { end, row, handed } = await run(script, options, meanwhile);
      expect(row).toMatchObject({ outcome, text: expect.stringContaining(words) as string });
      const [half, whole] = [handed.find(({ success }) => !success), handed.find(({ success }) => success)];
      expect(half).toMatchObject({ outcome, report: expect.stringContaining(words) as string });
      expect(half?.error).not.toBe('');
      expect(whole).toMatchObject({ outcome: 'completed', report: reportOf('all').trim() });
      expect(end).toMatchObject({ outcome: 'completed', text: 'I have what there is.' });
      expect(end.subAgents.map((one) => one.outcome).sort()).toEqual([outcome, 'completed'].sort());
    },
  );

  test('is stored with the run when the program is closed, and the sibling stays completed', async () => {
    const store = await memoryStore();
    const script = halfway('Then I go on for long', { hangAfter: 6 });
    const engine = await startEngine(script, { store: lasting(store) });
    await engine.send('Go');
    const start = await engine.event('run-start', (event) => event.agent === 'half');
    await engine.event('run-end', (event) => event.agent === 'whole');
    await speaking(engine, start.runId);
    await sleep(20);
    await engine.runtime.close();
    const row = await store.run(start.runId);
    expect(row).toMatchObject({ status: 'error', outcome: 'interrupted' });
    expect(row?.text).toMatch(/^I found the first half\.\n\nThen/);
    const runs = await store.runsOf([start.workflowId]);
    expect(runs.find(({ agent }) => agent === 'whole')).toMatchObject({ outcome: 'completed' });
  });
});
