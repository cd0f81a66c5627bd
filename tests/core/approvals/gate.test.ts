/** The gate alone: who may answer, once, in which words, and what is left where nobody does. */
import { describe, expect, test, vi } from 'vitest';
import type { Approval, Decision, Subject } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import { Stopped } from '#core/base/stop.ts';
import { gateWith, requestOf, settled, spawnOf } from './gate-with.ts';

describe('an answer to an approval', () => {
  test('is stored with its origin and the approved hash, and closes the approval', async () => {
    const { gate, asking, recorded, decisions } = gateWith();
    const answered = gate.ask(requestOf(), asking);
    await settled();
    expect(gate.pending().map(({ request }) => request.id)).toEqual(['q']);
    const decision = await gate.decide('q', 0, { kind: 'allow' });
    expect(decision).toMatchObject({
      item: 0,
      outcome: 'selected',
      optionId: 'allow',
      allowed: true,
      decidedBy: 'person',
      ruleId: null,
      reason: null,
      hashBefore: 'asked',
      hashAfter: 'asked',
    });
    expect(recorded.map(({ type }) => type)).toEqual(['approval-request', 'approval-decide']);
    expect(recorded[1]).toMatchObject({ approvalId: 'q' });
    expect(decisions()).toEqual([decision]);
    expect((await answered).decisions).toEqual([decision]);
    expect(gate.has('q')).toBe(false);
    expect(gate.pending()).toEqual([]);
  });

  test('that rejects has a trimmed reason or null', async () => {
    const { gate, asking, decisions } = gateWith();
    void gate.ask(requestOf({ subject: spawnOf('a', 'b') }), asking);
    await gate.decide('q', 0, { kind: 'reject', reason: '  Too much ' });
    await gate.decide('q', 1, { kind: 'reject', reason: ' ' });
    expect(decisions()).toMatchObject([
      { item: 0, allowed: false, optionId: 'reject', reason: 'Too much', hashBefore: 'hash-a', hashAfter: 'hash-a' },
      { item: 1, allowed: false, optionId: 'reject', reason: null, hashBefore: 'hash-b' },
    ]);
  });

  test('is accepted once: a second answer is rejected with the origin of the first, also while the first is stored', async () => {
    const stored = Promise.withResolvers<DurableEvent>();
    const { gate, asking } = gateWith();
    void gate.ask(requestOf({ subject: spawnOf('a', 'b') }), {
      ...asking,
      record: ({ type }) => (type === 'approval-decide' ? stored.promise : Promise.resolve({} as DurableEvent)),
    });
    const first = gate.decide('q', 0, { kind: 'allow' });
    await expect(gate.decide('q', 0, { kind: 'reject', reason: '' })).rejects.toMatchObject({
      code: 'already_answered',
      message: 'This question was answered by a person already',
    });
    stored.resolve({} as DurableEvent);
    expect(await first).toMatchObject({ allowed: true });
    expect(gate.has('q'), 'the other item is open').toBe(true);
    expect(gate.pending()[0]?.decisions[1]).toBeNull();
  });

  test.for([
    ['rule', 'a rule'],
    ['timeout', 'the time limit'],
    ['cancel', 'a stop'],
  ] as const)('is rejected with the origin of an earlier answer by %s', async ([decidedBy, words]) => {
    const { gate, asking } = gateWith();
    const request = requestOf({ subject: spawnOf('a', 'b') });
    const before = { item: 0, decidedBy } as Decision;
    void gate.askAgain({ request, decisions: [before, null] }, asking);
    await expect(gate.decide('q', 0, { kind: 'allow' })).rejects.toThrow(`answered by ${words} already`);
  });

  test('is rejected if the approval is closed or has no such item', async () => {
    const { gate, asking } = gateWith();
    await expect(gate.decide('q', 0, { kind: 'allow' })).rejects.toMatchObject({
      code: 'already_answered',
      message: expect.stringContaining('not open any more') as string,
    });
    await expect(gate.explain('q', 'Why?')).rejects.toMatchObject({ code: 'already_answered' });
    void gate.ask(requestOf(), asking);
    await expect(gate.decide('q', 1, { kind: 'allow' })).rejects.toMatchObject({
      code: 'bad_input',
      message: 'The question has no item 1',
    });
  });

  test('with an edit stores the validated value and its hash, and counts as a plain approval if nothing changed', async () => {
    const { gate, asking, decisions } = gateWith();
    const answered = gate.ask(requestOf({ subject: spawnOf('a', 'b') }), asking);
    await gate.decide('q', 0, { kind: 'edit', value: 'other' });
    const same = (_: number, value: unknown) => Promise.resolve({ value, hash: 'hash-b' });
    expect(decisions()[0]).toMatchObject({
      outcome: 'edited',
      optionId: 'allow',
      allowed: true,
      hashBefore: 'hash-a',
      hashAfter: 'hash of "other"',
      edited: 'other',
    });
    await gate.decide('q', 1, { kind: 'reject', reason: '' });
    await answered;
    void gate.ask(requestOf({ id: 'again', subject: spawnOf('b') }), { ...asking, revalidate: same });
    await gate.decide('again', 0, { kind: 'edit', value: 'the same' });
    expect(decisions()[2]).toMatchObject({ outcome: 'selected', allowed: true, hashAfter: 'hash-b' });
    expect(decisions()[2]).not.toHaveProperty('edited');
  });

  test('with an invalid edit leaves the approval open', async () => {
    const { gate, asking, decisions } = gateWith({ revalidate: () => Promise.reject(new Error('too much')) });
    void gate.ask(requestOf(), asking);
    await expect(gate.decide('q', 0, { kind: 'edit', value: {} })).rejects.toThrow('too much');
    expect(decisions()).toEqual([]);
    expect(gate.has('q')).toBe(true);
  });

  test('to an irreversible action must be confirmed to allow, but not to reject', async () => {
    const { gate, asking } = gateWith();
    void gate.ask(requestOf({ reversible: false, subject: spawnOf('a', 'b', 'c') }), asking);
    await expect(gate.decide('q', 0, { kind: 'allow' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(': confirm it') as string,
    });
    expect(await gate.decide('q', 0, { kind: 'allow', confirmed: true })).toMatchObject({ allowed: true });
    expect(await gate.decide('q', 1, { kind: 'reject', reason: '' })).toMatchObject({ allowed: false });
  });

  test('with a grant gives the grant after the decision, and is rejected if the grant is invalid', async () => {
    const give = vi.fn<() => void>();
    const grant = vi.fn(() => give);
    const { gate, asking } = gateWith({ grant });
    void gate.ask(requestOf({ subject: spawnOf('a', 'b') }), asking);
    const wish = { scope: 'workflow', pattern: 'a.md' } as const;
    expect(await gate.decide('q', 0, { kind: 'allow', grant: wish })).toMatchObject({ optionId: 'allow_workflow' });
    expect(grant).toHaveBeenCalledWith(wish);
    expect(give).toHaveBeenCalledOnce();
    grant.mockImplementation(() => {
      throw new Error('not offered');
    });
    await expect(gate.decide('q', 1, { kind: 'allow', grant: wish })).rejects.toThrow('not offered');
    expect(await gate.decide('q', 1, { kind: 'allow' })).toMatchObject({ optionId: 'allow' });
    expect(give).toHaveBeenCalledOnce();
  });

  test('with replies counts as an approval and stores the replies', async () => {
    const question = { question: 'Which?', kind: 'single' as const, choices: [] };
    const { gate, asking, decisions } = gateWith();
    void gate.ask(
      requestOf({ subject: { kind: 'questions', questions: [question], hash: 'h' } as unknown as Subject }),
      asking,
    );
    await gate.decide('q', 0, { kind: 'reply', replies: [{ chosen: [], words: ' This ' }] });
    expect(decisions()[0]).toMatchObject({ allowed: true, hashAfter: 'h', replies: [{ chosen: [], words: 'This' }] });
  });
});

describe('an approval without an answer from the person', () => {
  test('is decided by rules for each item, and shown to the person for the remaining items', async () => {
    const { gate, asking, decisions } = gateWith({
      rulings: [
        { allowed: true, ruleId: 'user:1', reason: null },
        null,
        { allowed: false, ruleId: 'user:2', reason: 'No' },
      ],
    });
    void gate.ask(requestOf({ subject: spawnOf('a', 'b', 'c') }), asking);
    expect(decisions()).toMatchObject([
      { item: 0, allowed: true, decidedBy: 'rule', ruleId: 'user:1', optionId: 'allow', reason: null },
      { item: 2, allowed: false, decidedBy: 'rule', ruleId: 'user:2', optionId: 'reject', reason: 'No' },
    ]);
    expect(gate.has('q')).toBe(true);
  });

  test('is allowed by the policy all unless a rule denies it, and rejected by the policy none', async () => {
    const denied = { allowed: false, ruleId: 'user:1', reason: 'No' };
    const all = gateWith({ policy: 'all', rulings: [denied, null] });
    await all.gate.ask(requestOf({ subject: spawnOf('a', 'b') }), all.asking);
    expect(all.decisions()).toMatchObject([
      { item: 0, allowed: false, ruleId: 'user:1' },
      { item: 1, allowed: true, ruleId: 'approve:all', decidedBy: 'rule', optionId: 'allow', reason: null },
    ]);
    const none = gateWith({ policy: 'none' });
    await none.gate.ask(requestOf(), none.asking);
    expect(none.decisions()).toMatchObject([
      {
        allowed: false,
        ruleId: 'approve:none',
        decidedBy: 'rule',
        optionId: 'reject',
        reason: 'Every question of this workflow is answered no',
      },
    ]);
  });

  test('is rejected by a stop for the open items, with the reason of the stop', async () => {
    const { gate, asking, controller, decisions } = gateWith();
    const answered = gate.ask(requestOf({ subject: spawnOf('a', 'b') }), asking);
    await gate.decide('q', 0, { kind: 'allow' });
    const reason = new Stopped('user');
    controller.abort(reason);
    expect((await answered).decisions).toMatchObject([
      { allowed: true, decidedBy: 'person' },
      { allowed: false, decidedBy: 'cancel', outcome: 'cancelled', optionId: null, reason: reason.message },
    ]);
    expect(decisions()).toHaveLength(2);
    expect(gate.has('q')).toBe(false);
  });

  test('is rejected at once if the run was stopped before', async () => {
    const { gate, asking, controller } = gateWith();
    controller.abort(new Stopped('parent'));
    expect((await gate.ask(requestOf(), asking)).decisions).toMatchObject([{ allowed: false, decidedBy: 'cancel' }]);
  });

  test('is closed by a shutdown without a decision, and the waiting run gets the reason', async () => {
    const { gate, asking, controller, decisions } = gateWith();
    const answered = gate.ask(requestOf(), asking);
    const why = new Stopped('shutdown');
    controller.abort(why);
    await expect(answered).rejects.toBe(why);
    expect(decisions()).toEqual([]);
    expect(gate.has('q')).toBe(false);
  });
});

describe('an approval in the gate', () => {
  test('is shown after it is stored, and each change is announced', async () => {
    const stored = Promise.withResolvers<DurableEvent>();
    const { gate, asking, changes } = gateWith();
    const record = () => stored.promise;
    void gate.ask(requestOf({ subject: spawnOf('a', 'b') }), { ...asking, record });
    expect([gate.has('q'), gate.pending().length]).toEqual([true, 0]);
    stored.resolve({} as DurableEvent);
    await settled();
    expect(gate.pending()).toHaveLength(1);
    expect(changes).toHaveBeenCalledTimes(1);
    await gate.decide('q', 0, { kind: 'allow' });
    expect(changes, 'one of two is answered').toHaveBeenCalledTimes(2);
    await gate.decide('q', 1, { kind: 'allow' });
    expect(changes).toHaveBeenCalledTimes(3);
  });

  test('that cannot be stored ends with the error of the store', async () => {
    const { gate, asking } = gateWith();
    const broken = () => Promise.reject(new Error('disk full'));
    await expect(gate.ask(requestOf(), { ...asking, record: broken })).rejects.toThrow('disk full');
  });

  test('with all answers from before a restart is returned at once, and with some answers keeps them', async () => {
    const { gate, asking, recorded } = gateWith();
    const done = { item: 0, allowed: true } as Decision;
    const whole: Approval = { request: requestOf(), decisions: [done] };
    expect(await gate.askAgain(whole, asking)).toBe(whole);
    expect(gate.has('q')).toBe(false);
    const half: Approval = { request: requestOf({ subject: spawnOf('a', 'b') }), decisions: [done, null] };
    const answered = gate.askAgain(half, asking);
    await gate.decide('q', 1, { kind: 'reject', reason: '' });
    expect((await answered).decisions).toMatchObject([{ allowed: true }, { allowed: false }]);
    expect(half.decisions[1], 'what was stored stays as it is').toBeNull();
    expect(
      recorded.map(({ type }) => type),
      'asked once',
    ).toEqual(['approval-decide']);
  });

  test('is found by the waiting run, with its item', async () => {
    const { gate, asking } = gateWith();
    void gate.ask(requestOf({ subject: spawnOf('a', 'b') }), asking);
    await gate.decide('q', 0, { kind: 'allow' });
    expect(gate.questionOf('run-a')).toEqual({ approvalId: 'q', item: 0, answered: true });
    expect(gate.questionOf('run-b')).toEqual({ approvalId: 'q', item: 1, answered: false });
    expect(gate.questionOf('run-x')).toBeNull();
  });

  test('can be asked back, and its decision cuts off the pending reply before the run continues', async () => {
    const saying = Promise.withResolvers<string>();
    const signals: AbortSignal[] = [];
    const { gate, asking, recorded } = gateWith({
      explain: (_, signal) => {
        signals.push(signal);
        return saying.promise;
      },
    });
    const answered = gate.ask(requestOf(), asking);
    await gate.explain('q', ' Why? ');
    expect(recorded[1]).toMatchObject({
      type: 'context-request',
      approvalId: 'q',
      n: 0,
      context: { question: 'Why?' },
    });
    await expect(gate.explain('q', 'And?')).rejects.toMatchObject({ code: 'conflict' });
    await gate.decide('q', 0, { kind: 'allow' });
    let goesOn = false;
    void answered.then(() => (goesOn = true));
    await settled();
    expect(goesOn).toBe(false);
    expect(signals[0]?.aborted).toBe(true);
    saying.resolve('Because.');
    expect((await answered).context).toMatchObject([{ question: 'Why?', answer: 'Because.' }]);
    expect(recorded.at(-1)).toMatchObject({ type: 'context-end', n: 0, context: { answer: 'Because.' } });
  });
});
