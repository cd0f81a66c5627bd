// What the person made of a call is what its title names.
import { expect, it } from 'vitest';
import { editedTitle } from '#contract/approvals/edited-title.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';

const asked = (title: Phrase) => ({ title: sentenceOf(title), says: { title, description: [] } });

it('the title of an edited call names the edited file or command, without the old line counts', () => {
  const write = asked(phrase('write', { path: 'Write', change: ' (+7 −0)' }));
  const input = { path: 'Write', content: 'a' };
  for (const [edited, title] of [
    [{ path: 'other.md', content: 'a' }, 'Write other.md'],
    [{ path: 'Write', content: 'b' }, 'Write Write'],
    [{ path: null, command: null }, 'Write Write'],
  ] as const) {
    const after = editedTitle(write, input, edited);
    expect(after.title).toBe(title);
    expect(sentenceOf(after.says!.title), 'in its values too').toBe(title);
  }
  const run = asked(phrase('run_in', { command: 'rm *', folder: 'web' }));
  expect(editedTitle(run, { command: 'rm *' }, { command: 'ls\npwd' }).title).toBe('In web, run ls');
});

it('the title stays unchanged if it names no file or command, or has no values', () => {
  const use = asked(phrase('use', { tool: 'todo_write' }));
  expect(editedTitle(use, { path: 'a' }, { path: 'b' })).toEqual(use);
  expect(editedTitle({ title: 'Write a' }, { path: 'a' }, { path: 'b' })).toEqual({ title: 'Write a' });
});
