/** What a no gives back, how much of a report a lead gets, and what a question says that its agent must ask about. */
import { describe, expect, test } from 'vitest';
import { MAX_REPORT_BYTES } from '#contract/limits.ts';
import { ownActionsText } from '#contract/own-actions-text.ts';
import { outcomes, outputOf, startEngine } from '../../support/engine.ts';
import { CHILD, delegateTo, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

describe('with one slot for sub-agents', () => {
  const again = (times: number): Script => {
    const script = new Script();
    for (let step = 1; step <= times; step++)
      script.on({ ...LEAD, step }).reply([spawn({ name: `try-${step}`, prompt: `Do it, ${step}.` })]);
    return script.on({}).reply([text('Report.')]);
  };
  const settings = '[limits]\nmax_sub_agents = 1\n';

  test('a rejected sub-agent releases its slot for the next sub-agent', async () => {
    const engine = await startEngine(again(3), {
      settings,
      person: ({ request }) =>
        request.subject.kind === 'envelopes' && request.subject.items[0]?.envelope.agent === 'try-3'
          ? { kind: 'allow' }
          : { kind: 'reject', reason: 'Another way' },
    });
    expect(outcomes(await engine.ask('Go'))).toEqual(['completed', 'rejected', 'rejected', 'completed']);
  });

  test('an approved sub-agent keeps its slot, and the next spawn fails without an approval request', async () => {
    const engine = await startEngine(again(2), { settings });
    expect(outcomes(await engine.ask('Go'))).toEqual(['completed', 'completed']);
    expect(engine.of('approval-request')).toHaveLength(1);
    expect(engine.of('tool-end').at(-1)?.entry).toMatchObject({
      status: 'error',
      output: expect.stringContaining('maximum of sub-agents for one workflow is 1; 1 of them are taken') as string,
    });
  });
});

test('a rejected sub-agent of a batch releases its slot, and the approved sub-agents keep theirs', async () => {
  const tasks = ['first', 'second', 'third'].map((part) => ({
    agent_id: 'code-reviewer',
    prompt: `Review the ${part}.`,
  }));
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([toolUse('parallel_tasks', { operation: 'execute_batch', tasks })])
    .on({ ...LEAD, step: 2 })
    .reply([spawn({ name: 'one', prompt: 'Do it.' }), spawn({ name: 'more', prompt: 'Do it too.' })])
    .on({})
    .reply([text('Report.')]);
  const engine = await startEngine(script, {
    person: ({ request }, item) =>
      request.subject.kind === 'envelopes' && request.subject.operation === 'parallel' && item === 1
        ? { kind: 'reject', reason: 'Not this one' }
        : { kind: 'allow' },
  });
  const end = await engine.ask('Go');
  expect(end.subAgents.map(({ agent, outcome }) => `${agent} ${outcome}`)).toEqual([
    'code-reviewer completed',
    'code-reviewer rejected',
    'code-reviewer completed',
    'one completed',
  ]);
});

test('the lead gets the first 50 KiB of a long report and how to read on, and the store keeps all of it', async () => {
  // Of three bytes each: a cap on characters would let three times as much through.
  const report = `# Report\n\n${'€'.repeat(MAX_REPORT_BYTES / 2)}`;
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn({ name: 'writer', prompt: 'Write much.' })])
    .on(CHILD)
    .reply([text(report)])
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(script);
  const end = await engine.ask('Go');
  const { report: got = '' } = outputOf(engine.of('tool-end')[0]?.entry.output);
  const [words, pointer] = got.split('\n\n[Cut off here');
  expect(Buffer.byteLength(words ?? '')).toBeGreaterThan(MAX_REPORT_BYTES - 4);
  expect(Buffer.byteLength(words ?? '')).toBeLessThanOrEqual(MAX_REPORT_BYTES);
  expect(report.startsWith(words ?? '')).toBe(true);
  const [{ runId } = { runId: '' }] = end.subAgents;
  expect(pointer).toContain(`Read on with read_report: run_id "${runId}", offset `);
  expect((await engine.store.run(runId))?.text).toBe(report);
});

test('the approval of a sub-agent names the tools in its requires_approval, and those tools then require approval', async () => {
  const file =
    '---\nname: careful\ndescription: Careful\ntools: [read_file, list_directory]\nrequires_approval: [list_directory]\n---\nBe careful.\n';
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([delegateTo('careful', 'Look for it.')])
    .on({ ...CHILD, step: 1 })
    .reply([toolUse('list_directory', { path: '.' }), toolUse('read_file', { path: 'README.md' })])
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(script, { files: { 'README.md': 'it\n', '.triad/agents/careful.md': file } });
  const { runtime, folder } = engine;
  const look = await runtime.request('trust.look', { folder });
  const files = look.files.flatMap(({ path, hash }) => (hash === null ? [] : [{ path, hash }]));
  await runtime.request('trust.set', { folder, files });
  expect(outcomes(await engine.ask('Go'))).toEqual(['completed', 'completed']);
  const [start, call, ...more] = engine.of('approval-request').map(({ approval }) => approval);
  const [item] = start?.subject.kind === 'envelopes' ? start.subject.items : [];
  expect(item?.envelope.requiresApproval).toEqual(['list_directory']);
  expect(ownActionsText(item!, item!.envelope)).toContain('Its definition wants you to be asked about list_directory');
  expect(call).toMatchObject({ agent: 'careful', subject: { kind: 'tool', tool: 'list_directory' } });
  expect(call?.title).toBe('Use list_directory');
  expect(more).toEqual([]);
  const explained = { agent: 'careful', folder, tool: 'list_directory', input: { path: '.' } };
  const verdict = await runtime.request('permissions.explain', explained);
  expect(verdict).toMatchObject({ effect: 'ask', ruleId: 'agent:requires_approval' });
});
