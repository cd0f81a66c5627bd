/** Finds tests by file and title in the text of the test files. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './support/program.ts';

/** Text of each test file by path. */
export const TEST_FILES: ReadonlyMap<string, string> = new Map(
  globSync(['tests/**/*.test.ts', 'e2e/**/*.spec.ts'], { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
);

export const STRING = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`/g;
/** A call with its first argument: a string, a constant, or an array of them. */
export const FULL_CALL =
  /\b(fullTest|fullSpec)\(\s*(\[[^\]]*\]|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`|[A-Z_]+)/g;

interface TextRange {
  readonly start: number;
  readonly end: number;
}

interface Literal extends TextRange {
  readonly text: string;
}

export function findStrings(code: string): Literal[] {
  return [...code.matchAll(STRING)].map(({ 0: whole, 1: single, 2: double, 3: ticks, index }) => {
    const text = (single ?? double ?? ticks ?? '').replaceAll(/\\(.)/g, '$1');
    return { text, start: index, end: index + whole.length };
  });
}

/** Returns whether only the full run includes the test with this title, according to its declaration or its details. */
function isFull(path: string, code: string, { start, end }: TextRange): boolean {
  const declaration = code.slice(Math.max(0, code.lastIndexOf('\n\n', start)), start);
  return (
    path.endsWith('.full.test.ts') ||
    /runIf\([^)]*inFullRun[^)]*\)[^;]*$|fullTest\([^;]*$/.test(declaration) ||
    /^,\s*(?:\{[^{}]*@full|fullSpec\()/.test(code.slice(end))
  );
}

/** Returns each position of a title in quotes. Quotes and backticks in regular expressions would confuse `findStrings`. */
function findTitle(code: string, title: string): TextRange[] {
  const characters = [...title].map((character) => `\\\\?${character.replace(/[$()*+.?[\\\]^{|}/]/, '\\$&')}`);
  const quoted = new RegExp(`(['"\`])${characters.join('')}\\1`, 'g');
  const ranges = [...code.matchAll(quoted)].map(({ 0: { length }, index }) => ({ start: index, end: index + length }));
  return ranges.filter(({ start }) => !isIdle(code.slice(0, start)));
}

/** Returns whether a title at the end of the code is in a comment, or of a test that never runs. */
function isIdle(before: string): boolean {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return /^\s*(?:\/\/|\/?\*)|\s\/\/ /.test(line) || /\.skip\(\s*$/.test(before);
}

/** Returns why `path › title` names no test of `npm test`, or null. */
export function findTitleFault(name: string): string | null {
  const separator = name.indexOf(' › ');
  const [path, title] = [name.slice(0, separator), name.slice(separator + 3)];
  const code = TEST_FILES.get(path)?.replace(FULL_CALL, '$1(');
  if (code === undefined) return 'does not begin with the path of a test file and " › "';
  const titles = findTitle(code, title);
  if (titles.length === 0) return 'has a title that is not in the file';
  return titles.every((range) => isFull(path, code, range)) ? 'is a test of the full run itself' : null;
}
