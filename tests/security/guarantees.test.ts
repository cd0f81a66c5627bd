/** The guarantees in SECURITY.md, each with tests of `npm test`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findTitleFault } from '../test-titles.ts';
import { GUARANTEES } from './guarantees.ts';

test('SECURITY.md lists exactly the guarantees that have tests', () => {
  const text = readFileSync(join(import.meta.dirname, '../../SECURITY.md'), 'utf8');
  const section = text.split('\n## ').find((part) => part.startsWith('What Triad guarantees\n')) ?? '';
  const bullets = [...section.matchAll(/^- (.*)$/gm)].map(([, bullet = '']) => bullet);
  const sentences = bullets.flatMap((bullet) => bullet.split(/(?<=\.) (?=[A-Z])/));
  expect(sentences).toEqual(GUARANTEES.map(({ sentence }) => sentence));
  // A sentence outside the list would have no test.
  const rest = section.split('\n').slice(1);
  expect(rest.filter((line) => !/^(|### .*|- .*)$/.test(line))).toEqual([]);
});

test('each guarantee names existing tests of `npm test`', () => {
  const faults = GUARANTEES.flatMap(({ sentence, tests }) => {
    if (tests.length === 0) return [`"${sentence}" has no test`];
    return tests.flatMap((name) => {
      const fault = findTitleFault(name);
      return fault === null ? [] : [`"${name}" ${fault}`];
    });
  });
  expect(faults).toEqual([]);
});
