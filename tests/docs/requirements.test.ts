/** docs/requirements.md has a row for each requirement, and each row names tests of `npm test`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findTitleFault } from '../test-titles.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/requirements.md'), 'utf8');
/** Number of requirements of each group. A deleted or a new requirement changes it. */
const COUNTS = { Z: 78, C: 96, W: 67, N: 37 } as const;
/** Groups of the page, in order. */
const GROUPS = Object.keys(COUNTS) as (keyof typeof COUNTS)[];

interface Row {
  readonly id: string;
  readonly sentence: string;
  readonly tests: readonly string[];
}

/** Returns the rows of all tables without their heads. Cells are separated by unescaped pipes. */
function readRows(): Row[] {
  const lines = [...page.matchAll(/^\|(.*)\|$/gm)].map(([, line = '']) => line);
  const cells = lines.map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')));
  const rows = cells.filter(([id = '']) => id !== 'id' && !/^:?-+:?$/.test(id));
  return rows.map(([id = '', sentence = '', tests = '', ...more]) => {
    if (more.length > 0) throw new Error(`The row ${id} has more than three cells`);
    return { id, sentence, tests: [...tests.matchAll(/(`+)(.+?)\1/g)].map(([, , name = '']) => name.trim()) };
  });
}

const rows = readRows();

test('each row has a well-formed id, in the section of its group', () => {
  const sections = page.split(/^## /m).slice(1);
  expect(sections.map((section) => section[0])).toEqual(GROUPS);
  for (const section of sections) {
    const ids = [...section.matchAll(/^\| ?(\S+)/gm)]
      .map(([, id = '']) => id)
      .filter((id) => !/^(?:id|:?-+:?)$/.test(id));
    expect(ids.filter((id) => !new RegExp(String.raw`^${section[0]}-\d{2}$`).test(id))).toEqual([]);
  }
});

describe.for(GROUPS)('group %s', (group) => {
  const ids = rows.map(({ id }) => id).filter((id) => id.startsWith(`${group}-`));

  test('has each of its requirements once, in order', () => {
    expect(ids).toHaveLength(COUNTS[group]);
    expect(ids).toEqual([...new Set(ids)].toSorted());
  });
});

test('each row has one sentence of at most 25 words', () => {
  const faults = rows.filter(
    ({ sentence }) => !/^(?:[A-Z]|`).*\.$/.test(sentence) || sentence.split(/\s+/).length > 25,
  );
  expect(faults.map(({ id, sentence }) => `${id}: ${sentence}`)).toEqual([]);
});

test('each row names at least one test, and each named test is part of `npm test`', () => {
  const faults = rows.flatMap(({ id, tests }) => {
    if (tests.length === 0) return [`${id} names no test`];
    return tests.flatMap((name) => {
      const fault = findTitleFault(name);
      return fault === null ? [] : [`${id}: "${name}" ${fault}`];
    });
  });
  expect(faults).toEqual([]);
});

test('a title in a comment names no test', () => {
  // For example 'a title that only a comment has'.
  const name = 'tests/docs/requirements.test.ts › a title that only a comment has';
  expect(findTitleFault(name)).toBe('has a title that is not in the file');
});
