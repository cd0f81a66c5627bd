/** Questions after they were asked: what is told of answered ones, what an agent says to one, and those that sleep; without a store. */
import { describe, expect, test, vi } from 'vitest';
import type { Approval, Decision } from '#contract/approval.ts';
import type { AgentEvent, DurableEvent } from '#contract/event.ts';
import type { Grant } from '#contract/permission.ts';
import type { ConversationRow, WorkflowRow } from '#contract/view.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { grantsOf, recentlyAnswered } from '#core/approvals/answered.ts';
import { askedItems } from '#core/approvals/asked-items.ts';
import { Exchange, interruptedExchanges } from '#core/approvals/exchange.ts';
import { OpenApprovals } from '#core/approvals/open-approvals.ts';
import { decisionOf } from '#core/approvals/policy.ts';
import { TriadError } from '#core/base/errors.ts';
import { Stopped } from '#core/base/stop.ts';
import type { Payload } from '#core/store/log/recorder.ts';
import { envelopeOf } from '../../support/envelope.ts';
import { grantOf } from './support.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

const decisionAt = (parts: Partial<Decision>): Decision => ({ ...decisionOf({ kind: 'allow' }, 0, 'h'), ...parts });
const approvalOf = (id: string, parts: object = {}, ...decisions: (Decision | null)[]): Approval =>
  ({
    request: {
      id,
      conversationId: 'c',
      workflowId: 'w',
      runId: 'r',
      agent: 'lead',
      title: 'Write?',
      risk: 'medium',
      subject: { kind: 'tool', input: { path: 'a' } },
      ...parts,
    },
    decisions,
  }) as unknown as Approval;
const spawns = {
  subject: {
    kind: 'envelopes',
    operation: 'parallel',
    items: ['one', 'two'].map((name) => ({
      runId: `run-${name}`,
      title: `Title ${name}`,
      envelope: envelopeOf(name, name),
    })),
  },
};

test('each item of an approval pairs the requested input with the approved input', () => {
  const edited = envelopeOf('one', 'changed');
  const no = decisionAt({ item: 1, allowed: false });
  const [one, two] = spawns.subject.items;
  expect(askedItems(approvalOf('q', spawns, decisionAt({ edited }), no))).toMatchObject([
    { runId: 'run-one', asked: one?.envelope, approved: edited },
    { runId: 'run-two', asked: two?.envelope, decision: no, approved: null },
  ]);
  expect(askedItems(approvalOf('q', {}, decisionAt({})))).toMatchObject([{ runId: null, approved: { path: 'a' } }]);
  expect(askedItems(approvalOf('q', {}, null))).toMatchObject([
    { asked: { path: 'a' }, decision: null, approved: null },
  ]);
  expect(askedItems(approvalOf('q', {}))).toMatchObject([{ decision: null, approved: null }]);
  const action = { subject: { kind: 'action', input: { action: 'x' } } };
  expect(askedItems(approvalOf('q', action, null))[0]).toMatchObject({ runId: null, asked: { action: 'x' } });
  const questions = { subject: { kind: 'questions', questions: ['Q?'] } };
  const replies = [{ chosen: [], words: 'A' }];
  expect(askedItems(approvalOf('q', questions, decisionAt({ replies })))).toMatchObject([
    { runId: null, asked: ['Q?'], approved: replies },
  ]);
});

describe('the list of answered approvals', () => {
  const at = (second: number) => `2026-03-01T12:00:0${second}.000Z`;
  const rows: Record<string, Partial<ConversationRow>> = { c: { id: 'c' }, trash: { id: 'trash', deletedAt: at(1) } };
  const storeWith = (approvals: Approval[], given: Grant[] = []) => ({
    newestApprovals: () => Promise.resolve(approvals),
    conversation: (id: string) => Promise.resolve((rows[id] ?? null) as ConversationRow | null),
    grant: (id: string) => Promise.resolve(id === 'gone' ? null : grantOf({ id })),
    grantsGivenIn: () => Promise.resolve(given),
  });

  test('has one entry for each item, newest first, with its grant, and excludes deleted conversations', async () => {
    const answered = await recentlyAnswered(
      storeWith([
        approvalOf('a', spawns, decisionAt({ at: at(1), edited: 1, replies: [] }), decisionAt({ item: 1, at: at(3) })),
        approvalOf('b', {}, decisionAt({ at: at(2), ruleId: 'grant:g7' })),
        approvalOf('open', {}, null),
        approvalOf('t', { conversationId: 'trash' }, decisionAt({ at: at(4) })),
        approvalOf('x', { conversationId: 'purged' }, decisionAt({ at: at(5) })),
      ]),
    );
    expect(answered.map(({ approvalId, agent, title, grant }) => [approvalId, agent, title, grant?.id])).toEqual([
      ['a', 'two', 'Title two', undefined],
      ['b', 'lead', 'Write?', 'g7'],
      ['a', 'one', 'Title one', undefined],
    ]);
    expect(answered[2]?.decision).not.toHaveProperty('edited');
    expect(answered[2]?.decision).not.toHaveProperty('replies');
    expect(answered[1]).toMatchObject({
      kind: 'tool',
      risk: 'medium',
      conversationId: 'c',
      workflowId: 'w',
      runId: 'r',
    });
    expect(answered[1]?.grant).not.toBeNull();
  });

  test('shows the title of the edited call', async () => {
    const title = phrase('write', { path: 'a', change: ' (+1 −0)' });
    const asked = { title: 'Write a (+1 −0)', says: { title, description: [] } };
    const [edited] = await recentlyAnswered(storeWith([approvalOf('a', asked, decisionAt({ edited: { path: 'b' } }))]));
    expect([edited?.title, edited?.says?.title.values]).toEqual(['Write b', { path: 'b', change: '' }]);
    const [plain] = await recentlyAnswered(storeWith([approvalOf('a', asked, decisionAt({}))]));
    expect(plain).toMatchObject(asked);
  });

  test('has at most fifty entries', async () => {
    const many = Array.from({ length: 60 }, (_, n) => approvalOf(`a${n}`, {}, decisionAt({ at: at(n % 10) })));
    expect(await recentlyAnswered(storeWith(many))).toHaveLength(50);
  });

  test('names the grants that were given or used in a workflow, each once, oldest first', async () => {
    const used = ['grant:b', 'grant:a', 'grant:b', 'grant:gone', 'user:1', null].map((ruleId) =>
      decisionAt({ ruleId }),
    );
    const store = storeWith([], [grantOf({ id: 'b' }), grantOf({ id: 'c' })]);
    const workflow = { id: 'w', endedAt: null } as WorkflowRow;
    const found = await grantsOf(store, workflow, [approvalOf('q', spawns, ...used), approvalOf('p', {}, null)]);
    expect(found.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });
});

describe('a question back', () => {
  function exchangeWith(explain: (signal: AbortSignal) => Promise<string>) {
    const approval = approvalOf('q', {}, null);
    const told: Payload[] = [];
    const onChange = vi.fn<() => void>();
    const record = (payload: Payload) => Promise.resolve((told.push(structuredClone(payload)), {} as DurableEvent));
    const exchange = new Exchange({ approval, asking: { explain: (_, signal) => explain(signal), record }, onChange });
    return { approval, told, onChange, exchange };
  }
  const contextOf = (payload: Payload | undefined) => (payload?.type === 'context-end' ? payload : null);

  test('is stored with its answer, and the next question follows it', async () => {
    const { approval, told, onChange, exchange } = exchangeWith(() => Promise.resolve('Because.'));
    await exchange.ask(' Why? ');
    await settled();
    expect(exchange.isActive).toBe(false);
    expect(onChange).toHaveBeenCalledTimes(2);
    await exchange.ask('And?');
    await settled();
    expect(approval.context).toMatchObject([
      { question: 'Why?', answer: 'Because.', error: null },
      { question: 'And?', answer: 'Because.', error: null },
    ]);
    expect(told.map((one) => [one.type, 'n' in one ? one.n : null])).toEqual([
      ['context-request', 0],
      ['context-end', 0],
      ['context-request', 1],
      ['context-end', 1],
    ]);
  });

  test.for<[string, () => Promise<string>, string]>([
    ['a failure', () => Promise.reject(new TriadError('overloaded', 'It is busy')), 'It is busy'],
    ['an end of the program', () => Promise.reject(new Stopped('shutdown')), 'Interrupted: ask again'],
  ])('stores the reason if %s prevents its answer', async ([, explain, error]) => {
    const { told, exchange } = exchangeWith(explain);
    await exchange.ask('Why?');
    await settled();
    expect(contextOf(told[1])).toMatchObject({
      approvalId: 'q',
      n: 0,
      context: { question: 'Why?', answer: null, error },
    });
    expect(exchange.isActive).toBe(false);
  });

  test('is cut off when the approval is closed', async () => {
    const { told, exchange } = exchangeWith(
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut')))),
    );
    await exchange.ask('Why?');
    await settled();
    expect(exchange.isActive).toBe(true);
    await expect(exchange.ask('And?')).rejects.toMatchObject({ code: 'conflict' });
    await exchange.end();
    expect(contextOf(told[1])?.context.error).toBe('Not answered: the question was closed meanwhile');
    await exchange.end();
    expect(told).toHaveLength(2);
  });

  test('is closed at the next start if a crash left it unanswered', () => {
    const context = (parts: object) => ({ id: 'x', question: 'Why?', answer: null, error: null, at: '', ...parts });
    const all = [context({ answer: 'A' }), context({}), context({ error: 'E' })];
    expect(interruptedExchanges({ ...approvalOf('q', {}, null), context: all })).toEqual([
      { type: 'context-end', approvalId: 'q', n: 1, context: { ...all[1], error: 'Interrupted: ask again' } },
    ]);
    expect(interruptedExchanges(approvalOf('q', {}, null))).toEqual([]);
  });
});

describe('the list of open approvals', () => {
  function doorWith(
    open: Approval[],
    parts: { outcome?: string; deletedAt?: string; active?: boolean; asleep?: boolean } = {},
  ) {
    const state = { active: parts.active ?? false, gate: new Set<string>(), outcome: parts.outcome ?? 'interrupted' };
    const decide = vi.fn((_: string) => Promise.resolve(decisionAt({})));
    const explain = vi.fn(() => Promise.resolve());
    const resume = vi.fn(() => {
      state.active = true;
      return Promise.resolve();
    });
    const question: { current: { approvalId: string; item: number; answered: boolean } | null } = { current: null };
    const onChange = vi.fn<() => void>();
    const door = new OpenApprovals({
      store: {
        openApprovals: () => Promise.resolve(open),
        workflow: () => Promise.resolve({ conversationId: 'c', outcome: state.outcome } as WorkflowRow),
        conversation: () => Promise.resolve({ deletedAt: parts.deletedAt } as ConversationRow),
      },
      gate: { decide, explain, has: (id) => state.gate.has(id), questionOf: () => question.current },
      isActive: () => state.active,
      resume,
      onChange,
    });
    const shown = () => door.dormant().map(({ request }) => request.id);
    return { door, state, decide, explain, resume, onChange, question, shown };
  }
  const asleep = () => [approvalOf('q1', {}, null), approvalOf('q2', {}, null)];

  test('contains the approvals of interrupted workflows, unless deleted or already open in the gate', async () => {
    const of = async (parts: Parameters<typeof doorWith>[1]) => {
      const { door, shown, onChange } = doorWith(asleep(), parts);
      await door.refresh();
      expect(onChange).toHaveBeenCalledOnce();
      return shown();
    };
    expect(await of({})).toEqual(['q1', 'q2']);
    expect(await of({ outcome: 'completed' })).toEqual([]);
    expect(await of({ deletedAt: 'x' })).toEqual([]);
    const { door, state, shown } = doorWith(asleep());
    state.gate.add('q1');
    await door.refresh();
    expect(shown()).toEqual(['q2']);
    state.gate.add('q2');
    door.changed();
    expect(shown()).toEqual([]);
  });

  test('resumes the workflow once for an answer, and passes the answer to the gate when the approval reopens', async () => {
    const { door, state, decide, resume } = doorWith(asleep());
    await door.refresh();
    const answers = ['q1', 'q2'].map((id) => door.decide(id, 0, { kind: 'allow' }));
    await settled();
    expect(resume).toHaveBeenCalledOnce();
    expect(decide).not.toHaveBeenCalled();
    state.gate.add('q1');
    door.changed();
    await answers[0];
    expect(decide.mock.calls).toEqual([['q1', 0, { kind: 'allow' }]]);
    // Its workflow ends without asking: the gate says that it is too late.
    state.active = false;
    door.changed();
    await answers[1];
    expect(decide).toHaveBeenCalledTimes(2);
  });

  test('passes an answer directly to the gate if the approval is already open', async () => {
    const { door, state, decide, resume } = doorWith(asleep());
    await door.refresh();
    state.gate.add('q1');
    await door.decide('q1', 0, { kind: 'allow' });
    await door.decide('other', 0, { kind: 'allow' });
    expect(resume).not.toHaveBeenCalled();
    expect(decide).toHaveBeenCalledTimes(2);
  });

  test('passes a rejection of a sub-agent to its approval if the approval is open', async () => {
    const { door, decide, question } = doorWith([]);
    expect(await door.rejectSpawn('run', 'No')).toBe(false);
    question.current = { approvalId: 'q', item: 1, answered: true };
    expect(await door.rejectSpawn('run', 'No')).toBe(false);
    question.current = { approvalId: 'q', item: 1, answered: false };
    expect(await door.rejectSpawn('run', 'No')).toBe(true);
    expect(decide.mock.calls).toEqual([['q', 1, { kind: 'reject', reason: 'No' }]]);
  });

  test('rejects a question back to an agent of an interrupted workflow', async () => {
    const { door, state, explain } = doorWith(asleep());
    await door.refresh();
    await expect(door.explain('q1', 'Why?')).rejects.toMatchObject({ code: 'conflict' });
    state.gate.add('q1');
    await door.explain('q1', 'Why?');
    await door.explain('other', 'Why?');
    expect(explain.mock.calls).toEqual([
      ['q1', 'Why?'],
      ['other', 'Why?'],
    ]);
  });

  test('is read again only after an event that can add or remove an approval', async () => {
    const { door, onChange } = doorWith(asleep());
    const reads = async (event: object): Promise<number> => {
      onChange.mockClear();
      door.onEvent(event as AgentEvent);
      await settled();
      return onChange.mock.calls.length;
    };
    expect(await reads({ type: 'workflow-end', outcome: 'completed' })).toBe(0);
    expect(await reads({ type: 'approval-decide', approvalId: 'q1' })).toBe(0);
    expect(await reads({ type: 'workflow-end', outcome: 'interrupted' })).toBe(1);
    expect(await reads({ type: 'workflow-end', outcome: 'completed' })).toBe(1);
    expect(await reads({ type: 'approval-decide', approvalId: 'q1' })).toBe(1);
    expect(await reads({ type: 'approval-decide', approvalId: 'other' })).toBe(0);
    expect(await reads({ type: 'run-end', approvalId: 'q1' })).toBe(0);
  });
});
