/** What is told at a handoff: the account of the work, its variables, and how each control flow wants the other one to end. */
import { describe, expect, test } from 'vitest';
import type { Entry } from '#contract/message.ts';
import { ControlFlow } from '#contract/flows/control-flow.ts';
import { accountOf } from '#core/workflows/flows/account.ts';
import { rendered } from '#core/agents/variables.ts';
import { handoffPrompt, handoffValues } from '#core/workflows/flows/handoff-prompt.ts';
import { Transcript } from '#core/store/log/transcript.ts';
import { envelopeOf } from '../../../support/envelope.ts';

const words = { kind: 'assistant' as const, responseId: null, stopReason: 'end_turn' as const, interrupted: false };
const wordsOf = (text: string) => ({ ...words, messageId: text, parts: [{ type: 'text' as const, text }] });

interface Call {
  name: string;
  input: unknown;
  status?: 'completed' | 'error';
  metadata?: Record<string, unknown>;
}

function worked(calls: readonly Call[]): Transcript {
  const history = new Transcript([]);
  history.add({ kind: 'user', source: 'parent', text: 'Go.' });
  const parts = calls.map(({ name, input }, id) => ({ type: 'tool_use' as const, id: `c${id}`, name, input }));
  history.add({ ...words, messageId: 'm', parts, stopReason: 'tool_use' });
  for (const [id, { name, status = 'completed', metadata = {} }] of calls.entries())
    history.add({
      kind: 'tool',
      toolCallId: `c${id}`,
      name,
      status,
      output: 'secret raw output',
      durationMs: 0,
      metadata,
    });
  return history;
}

const written = (path: string, added: number, removed: number): Call => ({
  name: 'write_file',
  input: { path, content: 'secret content' },
  metadata: { path, added, removed, undoable: true },
});

const planCall = (content: string): Call => ({
  name: 'todo_write',
  input: { items: [{ content, status: 'pending', priority: 'low' }] },
});

describe('the account of the work in a handoff prompt', () => {
  test('lists turns, tools with their targets, changed files and the plan, but no results or contents', () => {
    const history = worked([
      { name: 'grep', input: { pattern: 'a\n b', path: 'src' } },
      { name: 'grep', input: { pattern: 'c' }, status: 'error' },
      written('page.md', 10, 0),
      written('page.md', 2, 3),
      planCall('First'),
      {
        name: 'todo_write',
        input: {
          items: [
            { content: 'Write', status: 'completed', priority: 'high' },
            { content: 'Check', status: 'in_progress', priority: 'low' },
            { content: 'Publish', status: 'pending', priority: 'low' },
          ],
        },
      },
      { ...planCall('Refused'), status: 'error' },
      { name: 'bash', input: { command: 'make' }, metadata: { path: 'out.bin', also: ['log'], undoable: true } },
      { name: 'move_file', input: { from: 'a.md' }, metadata: { path: 'b.md', removed: 1, undoable: true } },
    ]);
    expect(accountOf(history.entries)).toBe(
      [
        '1 turn',
        '',
        'Tools called:',
        '',
        '- grep 2× (1 failed): src, c',
        '- write_file 2×: page.md',
        '- todo_write 3× (1 failed)',
        '- bash 1×: make',
        '- move_file 1×: a.md',
        '',
        'Files changed:',
        '',
        '- page.md (+12 -3)',
        '- out.bin',
        '- log',
        '- b.md',
        '',
        'Plan:',
        '',
        '- [x] Write',
        '- [~] Check',
        '- [ ] Publish',
      ].join('\n'),
    );
  });

  test('lists 30 tools and five targets of each, and counts the rest', () => {
    const tools = Array.from({ length: 31 }, (_, index) => ({ name: `tool-${index}`, input: {} }));
    expect(accountOf(worked(tools).entries)).toMatch(/- tool-29 1×\n- and 1 more$/);
    const reads = Array.from({ length: 6 }, (_, index) => ({ name: 'read_file', input: { path: `${index}.md` } }));
    expect(accountOf(worked(reads.slice(1)).entries)).toMatch(/: 1\.md, 2\.md, 3\.md, 4\.md, 5\.md$/);
    expect(accountOf(worked(reads).entries)).toMatch(/: 0\.md, 1\.md, 2\.md, 3\.md, 4\.md and 1 more$/);
    expect(accountOf(worked([{ name: 'bash', input: { command: 'x'.repeat(121) } }]).entries)).toMatch(/: x{120}…$/);
  });

  test('is cut at 8 KiB, and reports a run without tool calls', () => {
    const many = Array.from({ length: 500 }, (_, n) => written(`${'ä'.repeat(200)}${n}.md`, 1, 1));
    const account = accountOf(worked(many).entries);
    expect(Buffer.byteLength(account)).toBeLessThan(8 * 1024 + 50);
    expect(account.endsWith('\n(cut here)')).toBe(true);
    expect(accountOf([])).toBe('0 turns\nNo tool was called');
  });
});

describe('the prompt of the coagent', () => {
  const { prompt: _, stages: __, ...checker } = envelopeOf('checker', '-');
  const told = (
    type: ControlFlow,
    handoff: { type: 'static' | 'template' | 'generated'; text: string },
    entries: Entry[] = [],
  ) => {
    const flow = { type, rounds: 3, primary: 'worker', coagent: checker, handoff };
    const history = new Transcript([...entries]);
    const answer = history.add(wordsOf('The answer.'));
    const envelope = envelopeOf('pair', 'Do it.');
    const values = handoffValues(history.entries, { envelope, flow }, { answer, text: 'The answer.', round: 1 });
    return handoffPrompt(flow, handoff.type === 'template' ? rendered(handoff.text, values) : handoff.text, values);
  };

  test('has the static text first, then the task, the work, the answer and how to end', () => {
    expect(told('judge', { type: 'static', text: 'Mind {{answer}}.' })).toMatch(
      /^Mind \{\{answer\}\}\.\n\n## What was asked\n\nDo it\.\n\n## What pair has done\n\n1 turn[^#]*## The answer of pair \(round 1 of 3\)\n\nThe answer\.\n\n## How you end\n\nYou only judge/,
    );
  });

  test('replaces each template variable once and adds only how to end', () => {
    const text =
      '{{user_request}}|{{task_description}}|{{answer}}|{{todo_state}}|{{changes}}|{{round}}/{{max_rounds}}|{{feedback}}|{{agent}}→{{coagent}}';
    expect(told('smart', { type: 'template', text }).split('\n\n## How you end')[0]).toBe(
      'Do it.|Do it.|The answer.|There is no plan.|No file was changed.|1/3|Nothing: this is the first round.|pair→checker',
    );
  });

  test.for(ControlFlow.options.filter((type) => type !== 'hitl' && type !== 'loop'))(
    '%s: mentions task_complete as the way to end',
    (type) => {
      expect(told(type, { type: 'template', text: 'Look.' })).toContain('task_complete');
    },
  );

  test('tells the coagent of a loop that its words become the next prompt, and does not mention task_complete', () => {
    const prompt = told('loop', { type: 'static', text: 'Look.' });
    expect(prompt).not.toContain('task_complete');
    expect(prompt).toContain('it is what that one is told next');
  });
});
