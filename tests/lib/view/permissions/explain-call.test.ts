/** The explainer's form: what it sends fits the tools, and the call of a question is what was asked for. */
import { describe, expect, test } from 'vitest';
import type { Approval, Subject } from '#contract/approval.ts';
import { allTools } from '#core/tools/all-tools.ts';
import {
  callOf,
  canExplain,
  changedSince,
  explainFieldsOf,
  callInputOf,
  textFieldsOf,
} from '#lib/view/permissions/explain-call.ts';
import { decision, envelope, spawnRequest } from '../../../hosts/support/events.ts';

const tools = allTools();
const toolOf = (name: string) => tools.find((tool) => tool.name === name);

describe('the fields of an explained tool call', () => {
  const filled = (name: string) => Object.fromEntries(explainFieldsOf(name).map((field) => [field, 'docs']));
  const named = [...['read_file', 'write_file', 'list_directory', 'glob', 'grep'], ...['spawn_agent', 'delegate_task']];

  test.for(named)('form valid input for the tool %s', (name) => {
    expect(explainFieldsOf(name).length).toBeGreaterThan(0);
    const input = callInputOf(name, filled(name));
    expect(toolOf(name)?.input.safeParse({ ...toolOf(name)?.sample?.input, ...input }).error).toBeUndefined();
    for (const field of explainFieldsOf(name)) expect(input[field]).toBe('docs');
  });

  test('omit empty optional values, and include empty required values', () => {
    expect(callInputOf('glob', { pattern: '**' })).toEqual({ pattern: '**' });
    expect(callInputOf('read_file', {})).toEqual({ path: '' });
  });

  test('preserve the other input of an existing call', () => {
    const made = { path: 'a.md', content: 'whole', mode: 'append' };
    expect(callInputOf('write_file', { path: 'b.md' }, made)).toEqual({ ...made, path: 'b.md' });
    expect(textFieldsOf({ ...made, depth: 2 })).toEqual(made);
    expect(textFieldsOf(['x'])).toEqual({});
  });

  test('are empty for any other tool, which takes JSON', () => {
    expect(explainFieldsOf('parallel_tasks')).toEqual([]);
  });
});

describe('the call of an approval', () => {
  const approval = (subject: Subject): Approval => ({
    request: spawnRequest({ subject }),
    decisions: [decision()],
  });
  const items = [{ runId: 'r', title: '', envelope, hash: 'h' }];

  test('contains the tool and its input', () => {
    const subject = {
      kind: 'tool',
      tool: 'write_file',
      input: { path: 'a' },
      folder: '/',
      preview: null,
      hash: '',
    } as const;
    expect(callOf(approval(subject), 0)).toEqual({ agent: 'lead', tool: 'write_file', input: { path: 'a' } });
  });

  test.for(['spawn', 'delegate', 'parallel'] as const)('is accepted by the tool for the operation %s', (operation) => {
    const call = callOf(approval({ kind: 'envelopes', operation, items }), 0);
    const tool = toolOf(call?.tool ?? '');
    expect(tool?.input.safeParse({ ...tool.sample?.input, ...Object(call?.input) }).error).toBeUndefined();
    expect(JSON.stringify(call?.input)).toContain('code-reviewer');
  });

  test('is null for questions of an agent', () => {
    const subject = { kind: 'questions', questions: [], folder: '/', hash: '' } as const;
    expect(canExplain(approval({ ...subject, questions: [] }).request)).toBe(false);
    expect(callOf(approval({ ...subject, questions: [] }), 0)).toBeNull();
  });
});

test('reports a rule change for an open approval only if the rules no longer ask', () => {
  const open = { decisions: [null] };
  expect(changedSince(open, 0, { effect: 'allow' })).toBe('allow');
  expect(changedSince(open, 0, { effect: 'deny' })).toBe('deny');
  expect(changedSince(open, 0, { effect: 'ask' })).toBeNull();
  expect(changedSince(open, 0, null)).toBeNull();
  const answered = { decisions: [{} as never] };
  expect(changedSince(answered, 0, { effect: 'allow' })).toBeNull();
});
