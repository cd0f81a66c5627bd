/** The human gate: yes, no with a reason, yes with changes, nobody there, twice. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Envelope } from '#contract/agent.ts';
import type { Approval } from '#contract/approval.ts';
import { outcomes, startEngine } from '../../support/engine.ts';
import {
  batch,
  LEAD,
  spawn,
  spawnOne,
  spawnThenDelegate,
  threeChildren,
  writeFile,
} from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

const envelopeOf = (approval: Approval, item = 0): Envelope => {
  if (approval.request.subject.kind !== 'envelopes') throw new Error('not about sub-agents');
  const found = approval.request.subject.items[item];
  if (!found) throw new Error('no such item');
  return found.envelope;
};

describe('approvals', () => {
  test('a sub-agent sends nothing before it was approved', async () => {
    let requestsBefore = -1;
    const engine = await start(spawnOne(), {
      person: () => {
        requestsBefore = engine.model.requests.length;
        return { kind: 'allow' };
      },
    });
    await engine.ask('Look');
    expect(requestsBefore).toBe(1);
    const order = engine.durable().map(({ type }) => type);
    const begun = engine.durable().findIndex((event) => event.type === 'run-start' && event.parentRunId !== null);
    expect(order.indexOf('approval-decide')).toBeLessThan(begun);
  });

  test('the lead receives the reason of a rejection and continues', async () => {
    const engine = await start(spawnOne(), {
      person: () => ({ kind: 'reject', reason: 'Too expensive today' }),
    });
    const end = await engine.ask('Look');
    expect(outcomes(end)).toEqual(['completed', 'rejected']);
    expect(engine.model.requests).toHaveLength(2);
    expect(engine.model.requests[1]?.seen.results[0]?.text).toContain('Too expensive today');
    const row = await engine.store.workflow(end.workflowId);
    expect(row?.subAgentCount).toBe(0);
  });

  test('a spawn and a delegation have medium risk, and a batch has high risk', async () => {
    const ask = async (script: Script) => {
      const engine = await start(script);
      await engine.ask('Look');
      return engine
        .of('approval-request')
        .map(({ approval: { risk, subject } }) => (subject.kind === 'envelopes' ? [subject.operation, risk] : []));
    };
    expect(await ask(spawnThenDelegate())).toEqual([
      ['spawn', 'medium'],
      ['delegate', 'medium'],
    ]);
    expect(await ask(batch())).toEqual([['parallel', 'high']]);
  });

  test('a sub-agent gets exactly the edited prompt, and the hashes before and after the edit are stored', async () => {
    const prompt = 'Inspect the workspace, but only the README.';
    const engine = await start(spawnOne(), {
      person: (approval) => ({ kind: 'edit', value: { ...envelopeOf(approval), prompt } }),
    });
    await engine.ask('Look');
    const child = engine.model.requests.filter(({ seen }) => !seen.tools.includes('spawn_agent'));
    expect(child.map(({ seen }) => seen.prompt)).toEqual([prompt, prompt]);
    const [decided] = engine.of('approval-decide');
    const [, started] = engine.of('run-start');
    expect(decided?.decision).toMatchObject({ outcome: 'edited', allowed: true, decidedBy: 'person' });
    expect(decided?.decision.hashAfter).not.toBe(decided?.decision.hashBefore);
    expect(started?.envelopeHash).toBe(decided?.decision.hashAfter);
  });

  test('the duration of a tool call excludes the wait for approval', async () => {
    const engine = await start(writeFile({ path: 'a.txt', content: 'a' }), { person: () => null });
    await engine.send('Write it');
    const { approval } = await engine.event('approval-request');
    await setTimeout(100);
    const answered = performance.now();
    await engine.runtime.request('approval.decide', { approvalId: approval.id, answer: { kind: 'allow' } });
    const { entry } = await engine.event('tool-end');
    expect(entry).toMatchObject({ status: 'completed' });
    expect(entry.kind === 'tool' ? entry.durationMs : null).toBeLessThanOrEqual(performance.now() - answered);
    await engine.event('workflow-end');
  });

  test('rejects an edit beyond the tools and the folder of the lead, and leaves the approval open', async () => {
    const engine = await start(spawnOne(), { person: () => null });
    const { workflowId } = await engine.send('Look');
    const request = await engine.event('approval-request');
    const { approval } = request;
    const envelope = envelopeOf({ request: approval, decisions: [null] });
    const decide = (answer: Parameters<typeof engine.runtime.request<'approval.decide'>>[1]['answer']) =>
      engine.runtime.request('approval.decide', { approvalId: approval.id, answer });
    await expect(
      decide({ kind: 'edit', value: { ...envelope, tools: [...envelope.tools, 'rm_everything'] } }),
    ).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(decide({ kind: 'edit', value: { ...envelope, tools: ['spawn_agent'] } })).rejects.toMatchObject({
      code: 'not_allowed',
    });
    await expect(decide({ kind: 'edit', value: { ...envelope, folder: '/' } })).rejects.toMatchObject({
      code: 'bad_input',
    });
    await expect(decide({ kind: 'edit', value: { prompt: 'only this' } })).rejects.toMatchObject({
      code: 'bad_input',
    });
    await decide({ kind: 'allow' });
    await expect(decide({ kind: 'reject', reason: '' })).rejects.toMatchObject({ code: 'already_answered' });
    expect((await engine.ended(workflowId)).outcome).toBe('completed');
  });

  test('stores exactly one of several concurrent answers', async () => {
    const engine = await start(spawnOne(), { person: () => null });
    const { workflowId } = await engine.send('Look');
    const request = await engine.event('approval-request');
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        engine.runtime.request('approval.decide', {
          approvalId: request.approval.id,
          answer: index % 2 === 0 ? { kind: 'allow' } : { kind: 'reject', reason: 'no' },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await engine.ended(workflowId);
    expect(engine.of('approval-decide')).toHaveLength(1);
  });

  test('three approvals are open at once and are answered in any order', async () => {
    const engine = await start(threeChildren(), { person: () => null });
    const { workflowId } = await engine.send('Look at all parts');
    await engine.event(
      'approval-request',
      (event) => envelopeOf({ request: event.approval, decisions: [] }).agent === 'gamma',
    );
    const ids = engine.of('approval-request').map(({ approval }) => approval.id);
    expect(ids).toHaveLength(3);
    for (const approvalId of ids.toReversed())
      await engine.runtime.request('approval.decide', { approvalId, answer: { kind: 'allow' } });
    expect(outcomes(await engine.ended(workflowId))).toEqual(['completed', 'completed', 'completed', 'completed']);
  });

  test('each task of a batch is approved or rejected separately', async () => {
    const engine = await start(batch(), {
      person: (_, item) => (item === 0 ? { kind: 'reject', reason: 'not this half' } : { kind: 'allow' }),
    });
    const end = await engine.ask('Review both');
    expect(outcomes(end)).toEqual(['completed', 'rejected', 'completed']);
    expect(end.text).toContain('Report: the second half');
    expect(engine.model.requests.at(-1)?.seen.results[0]?.text).toContain('not this half');
  });

  test('the policy none rejects every approval and records the decision as a rule', async () => {
    // It is not offered the tool, and calls it all the same.
    const script = new Script()
      .on({ step: 1 })
      .reply([toolUse('spawn_agent', { operation: 'spawn', name: 'inspector', prompt: 'Inspect.' })])
      .on({})
      .reply([text('Done.')]);
    const engine = await start(script, { person: () => null });
    const end = await engine.ask('Look', 'none');
    expect(outcomes(end)).toEqual(['completed', 'rejected']);
    expect(engine.of('approval-decide')[0]?.decision).toMatchObject({
      allowed: false,
      decidedBy: 'rule',
      ruleId: 'approve:none',
    });
    expect(engine.model.requests.at(-1)?.seen.results[0]?.text, 'no rule was it').toContain(
      '"Rejected: Every question of this workflow is answered no"',
    );
  });

  test('an unanswered approval is rejected at its timeout', async () => {
    const engine = await startEngine(spawnOne(), {
      person: () => null,
      settings: '[limits]\napproval_seconds = 1\n',
    });
    const end = await engine.ask('Look');
    expect(outcomes(end)).toEqual(['completed', 'rejected']);
    expect(engine.of('approval-decide')[0]?.decision).toMatchObject({ allowed: false, decidedBy: 'timeout' });
  });

  test('the approval of a write contains a diff, and the edited content is written to disk', async () => {
    const engine = await start(writeFile({ content: 'asked\n' }), {
      person: (approval) => {
        const { subject } = approval.request;
        if (subject.kind !== 'tool') return null;
        expect(subject.preview?.diff).toContain('+asked');
        return { kind: 'edit', value: { path: 'notes.md', content: 'edited\n' } };
      },
    });
    const end = await engine.ask('Write notes');
    expect(end.outcome).toBe('completed');
    expect(await readFile(join(engine.folder, 'notes.md'), 'utf8')).toBe('edited\n');
  });

  test('a rejected write changes nothing and the model reads the reason', async () => {
    const engine = await start(writeFile(), {
      person: () => ({ kind: 'reject', reason: 'Keep the folder clean' }),
    });
    await engine.ask('Write notes');
    await expect(readFile(join(engine.folder, 'notes.md'))).rejects.toThrow();
    expect(engine.model.requests[1]?.seen.results[0]?.text).toContain('Keep the folder clean');
  });

  test('two writes of one response are open together and are executed in the order of the response', async () => {
    const script = new Script()
      .on({ step: 1 })
      .reply([
        toolUse('write_file', { path: 'a.txt', content: 'first\n' }),
        toolUse('write_file', { path: 'b.txt', content: 'second\n' }),
      ])
      .on({})
      .reply([text('Done.')]);
    const engine = await start(script, { person: () => null });
    const { workflowId } = await engine.send('Write two');
    await engine.event('approval-request', (event) => event.seq > (engine.of('approval-request')[0]?.seq ?? 0));
    const [first, second] = engine.of('approval-request');
    await engine.runtime.request('approval.decide', {
      approvalId: second!.approval.id,
      answer: { kind: 'allow' },
    });
    expect(engine.of('tool-start')).toHaveLength(0);
    await engine.runtime.request('approval.decide', {
      approvalId: first!.approval.id,
      answer: { kind: 'allow' },
    });
    await engine.ended(workflowId);
    expect(engine.of('tool-start').map(({ input }) => input)).toMatchObject([{ path: 'a.txt' }, { path: 'b.txt' }]);
  });

  test('the error for an unavailable tool names the tool and lists those of the lead', async () => {
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'x', prompt: 'Do it', tools: ['browser'] })]);
    script.on({}).reply([text('I see.')]);
    const engine = await start(script);
    await engine.ask('Go');
    expect(engine.of('tool-end')[0]?.entry.output).toMatch(/browser.*The lead can give: .*read_file/);
    expect(engine.of('run-queue').filter(({ kind }) => kind !== 'lead')).toHaveLength(0);
  });
});
