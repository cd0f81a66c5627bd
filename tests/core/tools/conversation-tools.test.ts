/** Questions and results of the tools that touch nothing but the conversation. */
import { describe, expect, test } from 'vitest';
import type { Decision, Reply } from '#contract/approval.ts';
import { MAX_MEMORY_CHARS } from '#contract/limits.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { askQuestion } from '#core/tools/ask-question.ts';
import { memoryTool } from '#core/tools/memory.ts';
import { requestApproval } from '#core/tools/request-approval.ts';
import { todoRead, todoWrite } from '#core/tools/todo.ts';
import type { Question, Tool } from '#core/tools/tool.ts';
import { allowed } from '../../support/asked.ts';
import { call, contextIn } from '../../support/workspace.ts';

const context = contextIn('/work');
const getQuestion = async (tool: Tool, input: object): Promise<Question> =>
  (await tool.question!(tool.input.parse(input), context))!;
const findFaults = (tool: Tool, input: object) =>
  tool.input.safeParse(input).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

/** Runs the tool with a yes to its question, decided in this way. */
async function decided(tool: Tool, input: object, decision: Partial<Decision>) {
  const approval = allowed({ question: await getQuestion(tool, input) });
  const decisions = approval.decisions.map((one) => ({ ...one!, ...decision }));
  return tool.execute(tool.input.parse(input), context, { ...approval, decisions });
}

describe('ask_question', () => {
  const single = {
    question: ' Which parser? ',
    kind: 'single',
    choices: [{ label: ' Old ', description: ' slow ' }, { label: 'New' }],
  };
  const words = { question: 'Its name?', kind: 'text', choices: [{ label: 'Ignored' }] };

  test('shows one question as the title, or the number of several questions', async () => {
    const one = await getQuestion(askQuestion, { questions: [single] });
    const choices = [
      { label: 'Old', description: 'slow' },
      { label: 'New', description: null },
    ];
    const questions = [{ question: 'Which parser?', kind: 'single', choices }];
    expect(one).toMatchObject({ title: 'Which parser?', description: '', risk: 'low', reversible: true });
    expect(one.says).toEqual({ title: { key: 'own_words', values: { words: 'Which parser?' } }, description: [] });
    const input = askQuestion.input.parse({ questions: [single] });
    const hash = canonicalHash({ tool: 'ask_question', input });
    expect(one.subject).toStrictEqual({ kind: 'questions', questions, folder: '/work', hash });
    const two = await getQuestion(askQuestion, { questions: [words, single] });
    expect(two.title).toBe('2 questions to you');
    const text = { question: 'Its name?', kind: 'text', choices: [] };
    expect(two.subject).toMatchObject({ questions: [text, ...questions] });
  });

  test('returns each reply with its question', async () => {
    const input = { questions: [single, words, words] };
    const replies: Reply[] = [{ chosen: ['Old', 'New'], words: ' both ' }, null, { chosen: [], words: ' ' }];
    const skipped = '→ (skipped: decide yourself, and say what you assumed)';
    const output = `Which parser?\n→ Old; New; both\n\nIts name?\n${skipped}\n\nIts name?\n${skipped}`;
    const metadata = { answered: 2, asked: 3 };
    expect(await decided(askQuestion, input, { replies })).toEqual({ status: 'completed', output, metadata });
    const unasked = { status: 'completed', output: `Nobody was asked.\n\nIts name?\n${skipped}` };
    const none = { ...unasked, metadata: { answered: 0, asked: 1 } };
    expect(await decided(askQuestion, { questions: [words] }, { decidedBy: 'rule' })).toEqual(none);
    expect(await call(askQuestion, { questions: [words] }, context)).toEqual(none);
  });

  test('rejects questions with too few or equal choices', () => {
    const [choice] = single.choices;
    const few = 'questions.0.choices: must have at least two for the kinds single and multiple';
    const same = 'questions.0.choices: must have different labels';
    for (const kind of ['single', 'multiple']) {
      expect(findFaults(askQuestion, { questions: [{ question: 'x', kind, choices: [choice] }] })).toEqual([few]);
      expect(findFaults(askQuestion, { questions: [{ question: 'x', kind, choices: [choice, choice] }] })).toEqual([
        same,
      ]);
      expect(findFaults(askQuestion, { questions: [{ question: 'x', kind }] })).toEqual([few]);
    }
    expect(findFaults(askQuestion, { questions: [{ question: 'x', kind: 'text' }] })).toBeUndefined();
  });
});

describe('request_approval', () => {
  const input = { action: 'Rewrite it\nall', reason: 'It is slow' };

  test('shows the first line of its action as the title', async () => {
    const question = await getQuestion(requestApproval, input);
    const title = 'Go on with this: Rewrite it';
    expect(question).toMatchObject({ title, description: '', risk: 'medium', reversible: true });
    const parsed = requestApproval.input.parse(input);
    const hash = canonicalHash({ tool: 'request_approval', input: parsed });
    const subject = { kind: 'action', ...input, impact: null, folder: '/work', input: parsed, hash };
    expect(question.subject).toStrictEqual(subject);
    const final = await getQuestion(requestApproval, { ...input, impact: 'All', reversible: false });
    expect(final).toMatchObject({ risk: 'high', reversible: false, subject: { impact: 'All' } });
    const getTitle = async (action: string) => (await getQuestion(requestApproval, { ...input, action })).title;
    expect(await getTitle('é'.repeat(80))).toBe(`Go on with this: ${'é'.repeat(80)}`);
    expect(await getTitle('😀'.repeat(81))).toBe(`Go on with this: ${'😀'.repeat(79)}…`);
  });

  test('returns the approval or the edited action of the person', async () => {
    const approved = { status: 'completed', output: 'Approved: go on.' };
    expect(await decided(requestApproval, input, {})).toEqual({ ...approved, metadata: { decidedBy: 'person' } });
    expect(await call(requestApproval, input, context)).toEqual({ ...approved, metadata: { decidedBy: 'rule' } });
    expect((await decided(requestApproval, input, { outcome: 'edited' })).output).toBe(
      'The person allows this instead of what you asked for; do exactly this:\n\nRewrite it\nall',
    );
  });
});

test('writes the whole plan with a default priority, and reads the plan as JSON', async () => {
  const written: unknown[] = [];
  const plan = { read: () => written as never, write: async (items: unknown[]) => void written.push(...items) };
  const items = [
    { content: 'Look', status: 'completed', priority: 'high' },
    { content: 'Write', status: 'pending' },
    { content: 'Check', status: 'in_progress', priority: 'low' },
  ];
  expect(await call(todoWrite, { items }, { ...context, plan })).toEqual({
    status: 'completed',
    output: 'The plan is written: 1 of 3 steps are completed.',
    metadata: { steps: 3, completed: 1 },
  });
  expect(written).toEqual([items[0], { ...items[1], priority: 'medium' }, items[2]]);
  const output = JSON.stringify(written);
  expect(await call(todoRead, {}, { ...context, plan })).toEqual({ status: 'completed', output });
});

describe('memory', () => {
  const notes = new Map([
    ['a', 'one'],
    ['b', 'three'],
  ]);
  const memory = {
    list: async () => [...notes].map(([name, text]) => ({ name, text })),
    read: async (name: string) => notes.get(name) ?? null,
    write: async (name: string, text: string) => void notes.set(name, text),
    delete: async (name: string) => notes.delete(name),
  };
  const run = (input: object) => call(memoryTool, input, { ...context, memory });
  const noted = (name: string, output: string) => ({ status: 'completed', output, metadata: { name } });

  test('lists, reads, writes and deletes notes', async () => {
    expect(await run({ operation: 'list' })).toEqual({
      status: 'completed',
      output: 'a (3 characters)\nb (5 characters)',
    });
    expect(await run({ operation: 'read', name: 'a' })).toEqual(noted('a', 'one'));
    expect(await run({ operation: 'write', name: 'c', text: 'new' })).toEqual(noted('c', 'The note "c" is kept.'));
    expect(notes.get('c')).toBe('new');
    expect(await run({ operation: 'delete', name: 'c' })).toEqual(noted('c', 'The note "c" is deleted.'));
    for (const operation of ['read', 'delete'])
      expect(await run({ operation, name: 'c' })).toEqual({
        status: 'error',
        output: 'There is no note "c". There are: "a", "b"',
      });
    notes.clear();
    expect((await run({ operation: 'list' })).output).toBe('[There are no notes.]');
    expect((await run({ operation: 'read', name: 'c' })).output).toBe('There is no note "c". There are: none');
  });

  test('reports missing or invalid arguments of a call', () => {
    expect(findFaults(memoryTool, { operation: 'list' })).toBeUndefined();
    const fields = ['name: is required for write', 'text: is required for write'];
    expect(findFaults(memoryTool, { operation: 'write' })).toEqual(fields);
    for (const operation of ['read', 'delete'])
      expect(findFaults(memoryTool, { operation })).toEqual([`name: is required for ${operation}`]);
    const fault = 'name: must not be empty, nor begin or end with a space, nor have line breaks';
    for (const name of ['', ' a', 'a ', 'a\nb'])
      expect(findFaults(memoryTool, { operation: 'read', name })).toEqual([fault]);
    const text = `text: must have at most ${MAX_MEMORY_CHARS} characters: keep what matters`;
    expect(findFaults(memoryTool, { operation: 'write', name: 'a', text: 'x'.repeat(MAX_MEMORY_CHARS + 1) })).toEqual([
      text,
    ]);
  });
});
