/** Each kind of event as a person reads it: the mapping from events to the terminal. */
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import { ruleIdOf } from '#contract/grant-id.ts';
import type { AssistantEntry } from '#contract/message.ts';
import { newId } from '#core/base/ids.ts';
import { ProjectedRows } from '#domain/projected-rows.ts';
import { LINE_TABLES, linesOf, NOTHING_SHOWN } from '#hosts/cli/render/event-lines.ts';
import { plainStyle } from '#hosts/cli/terminal/style.ts';
import { recordedTrouble } from '../../../support/events.ts';
import { recordedServing, served } from '../../../support/flows/served.ts';
import {
  at,
  childId,
  decision,
  envelope,
  ofChild,
  ofLead,
  spawnRequest,
  usage,
  workflowEnd,
} from '../../support/events.ts';

const messageId = childId;
const say = (offset: number, text: string, part = 0) => ofLead('message-delta', { messageId, part, offset, text });
const end = (...texts: string[]) => ofLead('message-end', { entry: entryOf(texts) });
const entryOf = (texts: string[]): AssistantEntry => ({
  n: 1,
  at,
  kind: 'assistant',
  messageId,
  responseId: null,
  stopReason: 'end_turn',
  interrupted: false,
  parts: texts.map((text) => ({ type: 'text', text })),
});

/** Everything that the events print: data as it is, notes on lines with a mark. */
function printed(...events: AgentEvent[]): { data: string; notes: string[] } {
  let shown = NOTHING_SHOWN;
  const rows = new ProjectedRows(LINE_TABLES);
  let data = '';
  const notes: string[] = [];
  for (const event of events) {
    if ('seq' in event) rows.apply(event);
    const step = linesOf(shown, rows, event, plainStyle);
    shown = step.shown;
    for (const { to, text } of step.pieces) {
      if (to === 'data') data += text;
      else notes.push(text);
    }
  }
  return { data, notes };
}

test('prints the text of the lead as it streams, once, with a line end', () => {
  expect(printed(say(0, 'Hel'), say(3, 'lo'), end('Hello')).data).toBe('Hello\n');
});

test('lost, merged or repeated deltas do not change the printed text', () => {
  expect(printed(end('Hello')).data).toBe('Hello\n');
  expect(printed(say(0, 'He'), say(4, 'o'), end('Hello')).data).toBe('Hello\n');
  expect(printed(say(0, 'Hel'), say(1, 'ello'), end('Hello')).data).toBe('Hello\n');
});

test('prints messages and separated texts on lines of their own, and joins the parts of one text', () => {
  const words = (text: string) => ({ type: 'text' as const, text });
  const parts = [words('one'), { type: 'redacted_thinking' as const, data: '' }, words('two'), words(' three')];
  const whole = ofLead('message-end', { entry: { ...entryOf([]), parts } });
  const hints = [say(0, 'one'), say(0, 'two', 2), say(0, ' three', 3)];
  for (const before of [hints, hints.slice(0, 1), []])
    expect(printed(...before, whole, end('four')).data).toBe('one\ntwo three\nfour\n');
});

describe('an answer that was cut off and starts again', () => {
  const again = newId();
  const whole = ofLead('message-end', { entry: { ...entryOf(['Hello']), messageId: again } });
  const note = '↻ lead: the answer above was cut off, and starts again here:';

  test('gets a note, whether the end of the first part was stored or not', () => {
    const cut = ofLead('message-end', { entry: { ...entryOf(['Hell']), interrupted: true } });
    const expected = { data: 'Hell\nHello\n', notes: [note] };
    expect(printed(say(0, 'Hel'), cut, whole)).toEqual(expected);
    expect(printed(say(0, 'Hell'), whole)).toEqual(expected);
  });

  test('gets no note if no text of the first part was shown, or the message before is complete', () => {
    const empty = ofLead('message-end', { entry: { ...entryOf([]), interrupted: true } });
    expect(printed(empty, whole)).toEqual({ data: 'Hello\n', notes: [] });
    expect(printed(say(0, 'I look.'), end('I look.'), whole)).toEqual({
      data: 'I look.\nHello\n',
      notes: [],
    });
  });

  test('gets no note if no more text follows', () => {
    const cut = ofLead('message-end', { entry: { ...entryOf(['Hell']), interrupted: true } });
    expect(printed(say(0, 'Hel'), cut, workflowEnd({ outcome: 'cancelled', text: 'Hell' })).notes).toEqual([
      'cancelled · 1.2 s · 1,234 tokens, cached 3 % · $0.01',
    ]);
  });
});

test('prints the start and the summary of a sub-agent, not its own text', () => {
  const start = ofChild('run-start', { attempt: 1, envelope, envelopeHash: 'h', queuedMs: 0 });
  const words = ofChild('message-delta', { messageId, part: 0, offset: 0, text: 'secret' });
  const text = `# Report\n\n## Summary\n${'x'.repeat(150)}\n\n## Details\nmore`;
  const done = ofChild('run-end', { outcome: 'completed', text, error: null, durationMs: 3200, usage });
  expect(printed(start, words, done)).toEqual({
    data: '',
    notes: [
      '→ Running code-reviewer agent...',
      '✓ code-reviewer 3.2 s · 1,234 tokens, cached 3 %',
      `  ${'x'.repeat(100)}…`,
    ],
  });
});

test('prints name, code and message of a failed sub-agent, and the outcome of a rejected one', () => {
  const error = { code: 'rate_limited' as const, message: 'Too many\nrequests' };
  const failed = ofChild('run-end', { outcome: 'error', text: '', error, durationMs: 1, usage });
  expect(printed(failed).notes).toEqual(['✗ code-reviewer: rate_limited (error): Too many requests']);
  const rejected = ofChild('run-end', { outcome: 'rejected', text: '', error: null, durationMs: 1, usage });
  expect(printed(rejected).notes).toEqual(['✗ code-reviewer: rejected (warning): rejected']);
});

test('prints retries and notices as notes', () => {
  const error = { code: 'overloaded' as const, message: 'The provider is busy' };
  const retry = ofLead('retry', { turn: 1, attempt: 2, delayMs: 500, error });
  const notice = ofLead('notice', { level: 'warning', text: 'Careful\u001b[2J' });
  expect(printed(retry, notice).notes).toEqual([
    '↻ lead: waiting for the provider, next try in 500 ms: The provider is busy',
    'Careful⟦U+001B⟧[2J',
  ]);
});

test('prints a long wait for the provider for the first tries, then for every tenth try', () => {
  const error = { code: 'unreachable' as const, message: 'No connection' };
  const waits = Array.from({ length: 30 }, (_, index) =>
    ofLead('retry', { turn: 0, attempt: index + 1, delayMs: 30_000, error }),
  );
  expect(printed(...waits).notes).toHaveLength(10);
});

test('prints a silence of the provider as one line', () => {
  const silences = [30_000, 40_001, 50_002].map((silentMs) => ({
    ...ofLead('notice', { level: 'info', text: '' }),
    type: 'request-silent' as const,
    turn: 0,
    attempt: 1,
    silentMs,
  }));
  const { notes } = printed(...silences.map(({ seq: _, ...hint }) => hint as unknown as AgentEvent));
  expect(notes).toEqual(['↻ lead: no answer for 30 s']);
});

test('prints the review of a lead or a sub-agent as a note', () => {
  const review = { answer: 1, verdict: { passed: false, score: 40, critique: 'No\nline.' } };
  const text = 'Review 1: not passed, 40 of 100. No\nline.';
  const entry = { kind: 'system', code: 'review', n: 2, at, text, review } as const;
  expect(printed(ofChild('message-end', { entry }), ofLead('message-end', { entry })).notes).toEqual([
    '◇ code-reviewer: Review 1: not passed, 40 of 100. No line.',
    '◇ lead: Review 1: not passed, 40 of 100. No line.',
  ]);
});

test('prints decisions of rules, grants and timeouts, but not those of the user', () => {
  const approval = spawnRequest();
  const asked = ofLead('approval-request', { approval });
  const answer = (rest: Parameters<typeof decision>[0]) =>
    ofLead('approval-decide', { approvalId: approval.id, decision: decision(rest) });
  const late = answer({ allowed: false, decidedBy: 'timeout', reason: 'no answer' });
  const none = answer({ allowed: false, decidedBy: 'rule', ruleId: 'approve:none', reason: null });
  const granted = answer({ decidedBy: 'rule', ruleId: ruleIdOf('01957a10-0000-7000-8000-000000000301') });
  expect(printed(asked, answer({ decidedBy: 'rule' }), granted, none, late, answer({})).notes).toEqual([
    'approved by rule: Start code-reviewer',
    'approved by grant: Start code-reviewer',
    'not approved by --approve none: Start code-reviewer',
    'not approved by timeout: Start code-reviewer (no answer)',
  ]);
});

test('the last line contains outcome, time, tokens and cost', () => {
  expect(printed(say(0, 'Hi'), end('Hi'), workflowEnd({ text: 'Hi' }))).toEqual({
    data: 'Hi\n',
    notes: ['completed · 1.2 s · 1,234 tokens, cached 3 % · $0.01'],
  });
  const unpriced = workflowEnd({
    outcome: 'error',
    text: '',
    error: { code: 'auth', message: 'The key was refused' },
    usage: { ...usage, costUsd: null },
  });
  expect(printed(unpriced).notes).toEqual([
    'auth: The key was refused',
    'error · 1.2 s · 1,234 tokens, cached 3 % · cost unknown',
  ]);
});

test('an answer that was never streamed is printed at the end', () => {
  expect(printed(workflowEnd({ text: 'Done.' })).data).toBe('Done.\n');
});

test('ends a text that was cut off with a line end', () => {
  expect(printed(say(0, 'Hal'), workflowEnd({ outcome: 'cancelled', text: '' })).data).toBe('Hal\n');
});

test('reports a response that was cut off after a call, with the lost calls', () => {
  const entry = { ...entryOf(['I look.']), cut: { calls: ['write_file'] } };
  expect(printed(ofLead('message-end', { entry }))).toEqual({
    data: 'I look.\n',
    notes: [
      'lead: The response was cut off here. What followed is lost, with the calls that had begun: write_file; the model is told.',
    ],
  });
});

test('prints a line for each handoff and verdict, and the place of a stage, without the text of stages', () => {
  const { notes, data } = printed(...recordedServing().events);
  expect(notes.filter((note) => !/^(● ✓ proofreader|approved)/.test(note))).toEqual([
    '● → Running writer agent...',
    '⇄ writer → proofreader: round 1 of 3',
    '⇄ proofreader → writer: passed',
    '● ✓ writer 500 ms · 3,120 tokens, cached 67 %',
    '● → Running editor agent... (stage 1 of 2 after writer)',
    '● ✓ editor (stage 1 of 2 after writer) 500 ms · 3,120 tokens, cached 67 %',
    '● → Running checker agent... (stage 2 of 2 after writer)',
    '● ✓ checker (stage 2 of 2 after writer) 500 ms · 3,120 tokens, cached 67 %',
    '  All three faults are real.',
    '⇄ lead → critic: round 1 of 3',
    '⇄ critic → lead: not passed, 60 of 100: Score: 60 Name the files.',
    '⇄ lead → critic: round 2 of 3',
    '⇄ critic → lead: passed, 90 of 100',
    'completed · 3.2 s · 3,120 tokens, cached 67 % · $0.0049',
  ]);
  expect(data).toBe('Three faults.\nThree faults, all in src/parser.ts.\n');
});

test('a failed coagent prints its error in the line of the handoff and in its own line', () => {
  const { proofreader: who } = served;
  const events = recordedServing().durable.map((event): AgentEvent => {
    const error = { code: 'overloaded', message: 'The provider is overloaded' } as const;
    if (event.type === 'run-end' && event.runId === who.runId) return { ...event, outcome: 'error', error };
    if (event.type !== 'handoff' || !event.entry.back) return event;
    return { ...event, entry: { ...event.entry, back: { outcome: 'error', error: error.message } } };
  });
  const { notes } = printed(...events);
  expect(notes).toContain('⇄ proofreader → writer: error: The provider is overloaded');
  expect(notes.join('\n')).toContain('✗ proofreader: overloaded (error): The provider is overloaded');
});

test('prints a line for a compaction and for its undo', () => {
  const { notes } = printed(...recordedTrouble().events);
  expect(notes.filter((note) => note.startsWith('⇊'))).toEqual([
    expect.stringMatching(/^⇊ .+: Context compacted: 90,000 → 12,000 tokens$/),
    expect.stringMatching(/^⇊ .+: the compaction of its context was undone$/),
  ]);
});
