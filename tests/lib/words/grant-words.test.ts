// A grant, and what a rule would leave as it is, in sentences that are right for one and for many.
import { expect, it } from 'vitest';
import { decisionWords } from '#lib/words/decision-words.ts';
import { decisionWords as frenchDecision } from '#lib/words/fr/decision-words.ts';
import { grantWords as french } from '#lib/words/fr/grant-words.ts';
import { permissionsWords as frenchPermissions } from '#lib/words/fr/permissions-words.ts';
import { grantWords } from '#lib/words/grant-words.ts';
import { permissionsWords } from '#lib/words/permissions-words.ts';
import { rulesWords } from '#lib/words/rules-words.ts';

it('describes grants to start agents and to use tools', () => {
  const starts = { agent: 'lead', tool: 'delegate_task', pattern: 'code-reviewer' };
  expect(permissionsWords.grantSentence(starts)).toBe('lead may start code-reviewer');
  expect(permissionsWords.grantSentence({ ...starts, tool: 'write_file', pattern: 'a' })).toBe(
    'lead may use write_file on a',
  );
  expect(permissionsWords.revoked('lead', 'delegate_task', 'helper')).toContain('allows lead to start helper');
  expect(frenchPermissions.grantSentence(starts)).toBe('lead peut lancer code-reviewer');
  for (const words of [grantWords, french]) expect(words.who('lead', 'delegate_task')).toMatch(/batch|lot/);
});

it('distinguishes a pattern of the requested file from a pattern without matching files', () => {
  expect(grantWords.matches([], false, true)).toBe('It matches this file only.');
  expect(grantWords.matches([], false, false)).toBe('It matches no file that exists now.');
});

it('counts calls whose effect does not change', () => {
  expect([1, 2].map((count) => rulesWords.turn('ask', 'ask', count))).toEqual([
    '1 stays a question',
    '2 stay a question',
  ]);
});

it('explains why a granted agent in a batch needs approval', () => {
  expect(decisionWords.once.parallel).toContain('covers an agent that starts by itself, not one in a batch');
  expect(frenchDecision.once.parallel).toContain('vaut pour un agent qui démarre seul, pas dans un lot');
});
