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
/** A call with its first argument, which is a string or an array of strings. */
const CALL = /\b(?:fullTest|fullSpec)\(\s*(\[[^\]]*\]|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`)/g;

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

/** Returns whether the test with this title is one of the full run: by what declares it, or by its details. */
function isFull(path: string, code: string, { start, end }: Literal): boolean {
  const declaration = code.slice(Math.max(0, code.lastIndexOf('\n\n', start)), start);
  return (
    path.endsWith('.full.test.ts') ||
    /runIf\([^)]*inFullRun[^)]*\)[^;]*$|fullTest\([^;]*$/.test(declaration) ||
    /^,\s*(?:\{[^{}]*@full|fullSpec\()/.test(code.slice(end))
  );
}

/** Returns why `path › title` names no test of `npm test`, or null. */
function findFault(name: string): string | null {
  const at = name.indexOf(' › ');
  const [path, title] = [name.slice(0, at), name.slice(at + 3)];
  const code = texts.get(path)?.replace(CALL, 'fullTest(');
  if (code === undefined) return 'does not begin with the path of a test file and " › "';
  const titles = findStrings(code).filter(({ text }) => text === title);
  if (titles.length === 0) return 'has a title that is not in the file';
  return titles.every((literal) => isFull(path, code, literal)) ? 'is a test of the full run itself' : null;
}

test('each test of the full run names an existing test of `npm test`', () => {
  const faults = [...texts].flatMap(([path, code]) =>
    [...code.matchAll(CALL)].flatMap(([, names = '']) =>
      findStrings(names).flatMap(({ text }) => {
        const fault = findFault(text);
        return fault === null ? [] : [`${path}: "${text}" ${fault}`];
      }),
    ),
  );
  expect(faults).toEqual([]);
});

test('no test is left out of `npm test` in another way', () => {
  // Except the other rows of a matrix: `inFullRun || …` runs one row in `npm test`.
  const others = [...texts].filter(([, code]) => /(?:run|skip)If\([^)]*inFullRun(?! \|\|)|'@full'/.test(code));
  expect(others.map(([path]) => path)).toEqual([]);
});
