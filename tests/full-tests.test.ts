/** Each test that only the full run includes names a test of `npm test` that covers it. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './support/program.ts';

const SELF = 'tests/full-tests.test.ts';
const texts = new Map(
  globSync(['tests/**/*.test.ts', 'e2e/**/*.spec.ts'], { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path !== SELF)
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
);

const STRING = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`/g;
/** A call with its first argument: a string, a constant, or an array of them. */
const CALL = /\b(fullTest|fullSpec)\(\s*(\[[^\]]*\]|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`|[A-Z_]+)/g;

interface Literal {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function findStrings(code: string): Literal[] {
  return [...code.matchAll(STRING)].map(({ 0: whole, 1: single, 2: double, 3: ticks, index }) => {
    const text = (single ?? double ?? ticks ?? '').replaceAll(/\\(.)/g, '$1');
    return { text, start: index, end: index + whole.length };
  });
}

/** Returns whether only the full run includes the test with this title, according to its declaration or its details. */
function isFull(path: string, code: string, { start, end }: Literal): boolean {
  const declaration = code.slice(Math.max(0, code.lastIndexOf('\n\n', start)), start);
  return (
    path.endsWith('.full.test.ts') ||
    /runIf\([^)]*inFullRun[^)]*\)[^;]*$|fullTest\([^;]*$/.test(declaration) ||
    /^,\s*(?:\{[^{}]*@full|fullSpec\()/.test(code.slice(end))
  );
}

/** Returns the names in the first argument of a call. Looks constants up in the same file. */
function findNames(argument: string, code: string): string[] {
  const constants = [...argument.replaceAll(STRING, '').matchAll(/[A-Z_]+/g)].flatMap(([constant]) =>
    findStrings(new RegExp(`const ${constant} =\\s*([^;]*);`).exec(code)?.[1] ?? ''),
  );
  return [...findStrings(argument), ...constants].map(({ text }) => text);
}

/** Returns why `path › title` names no test of `npm test`, or null. */
function findFault(name: string): string | null {
  const separator = name.indexOf(' › ');
  const [path, title] = [name.slice(0, separator), name.slice(separator + 3)];
  const code = texts.get(path)?.replace(CALL, '$1(');
  if (code === undefined) return 'does not begin with the path of a test file and " › "';
  const titles = findStrings(code).filter(({ text }) => text === title);
  if (titles.length === 0) return 'has a title that is not in the file';
  return titles.every((literal) => isFull(path, code, literal)) ? 'is a test of the full run itself' : null;
}

test('each test of the full run names an existing test of `npm test`', () => {
  const faults = [...texts].flatMap(([path, code]) =>
    [...code.matchAll(CALL)].flatMap(([call, , argument = '']) => {
      const names = findNames(argument, code);
      if (names.length === 0) return [`${path}: ${call} names no test`];
      return names.flatMap((name) => {
        const fault = findFault(name);
        return fault === null ? [] : [`${path}: "${name}" ${fault}`];
      });
    }),
  );
  expect(faults).toEqual([]);
});

test('no test is left out of `npm test` in another way', () => {
  // Except the other rows of a matrix: `inFullRun || …` runs one row in `npm test`.
  const offenders = [...texts].filter(
    ([path, code]) =>
      /(?:run|skip)If\([^)]*inFullRun(?! \|\|)|@full\b/.test(code) ||
      (path.endsWith('.full.test.ts') && /^\s*(?:test|it)\b.*\(/m.test(code)),
  );
  expect(offenders.map(([path]) => path)).toEqual([]);
});

test('no test is selected alone, postponed or expected to fail', () => {
  const offenders = [...texts].filter(([, code]) =>
    /\b(?:test|it|describe)(?:\.\w+)*\.(?:only|todo|fixme|fails?)\b/.test(code),
  );
  expect(offenders.map(([path]) => path)).toEqual([]);
});
