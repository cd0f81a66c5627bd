// An edit is shown as the fields that differ.
import { expect, it } from 'vitest';
import { apart, changesOf, linesOf } from '#lib/runs/again/changes-of.ts';
import { fieldLabel } from '#lib/runs/again/field-label.ts';

it('changesOf names nested fields and returns both values', () => {
  const before = {
    model: 'a',
    tools: ['x', 'y'],
    limits: { maxIterations: 20, inactivityMs: 1000 },
    effort: null,
  };
  const after = { model: 'b', tools: ['x'], limits: { maxIterations: 5, inactivityMs: 1000 }, effort: null };
  expect(changesOf(before, after)).toEqual([
    { field: 'model', before: 'a', after: 'b' },
    { field: 'tools', before: '["x","y"]', after: '["x"]' },
    { field: 'limits.maxIterations', before: '20', after: '5' },
  ]);
});

it('fieldLabel returns the label of the form, else the path of the field', () => {
  expect(['limits.maxIterations', 'limits.budget.costUsd', 'prompt', 'limits.inactivityMs'].map(fieldLabel)).toEqual([
    'Turns at most',
    'Budget: US dollars',
    'Prompt',
    'limits.inactivityMs',
  ]);
});

it('apart returns only the items that two lists do not share', () => {
  expect(apart({ before: '["a","b"]', after: '["b","c"]' })).toEqual([['a'], ['c']]);
  expect(apart({ before: '', after: '["c"]' })).toEqual([[], ['c']]);
  expect(apart({ before: 'text', after: '["c"]' })).toBeNull();
  expect(apart({ before: '[{"n":1}]', after: '[]' })).toBeNull();
});

it('linesOf returns a line diff of an edited text, and nothing for a number', () => {
  expect(linesOf({ before: 'Read.\nAnswer.', after: 'Read.\nAnswer in French.' })).toMatch(
    /\n Read\.\n-Answer\.\n\+Answer in French\.\n/,
  );
  expect(linesOf({ before: '20', after: '5' })).toBe('');
});
