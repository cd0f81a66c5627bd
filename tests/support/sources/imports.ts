/** The files of this repository, and what each of them imports. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import ts from 'typescript';

export interface Import {
  from: string;
  /** As written. */
  specifier: string;
  /** The file in this repository, or undefined for a package. */
  target: string | undefined;
}

export const ROOT = path.resolve(import.meta.dirname, '../../..');
const extensions = '{ts,js,cjs,svelte}';
/** Files of the program and of its tests, as paths from the root. */
export const SOURCES = globSync([`src/**/*.${extensions}`, `electron/**/*.${extensions}`], { cwd: ROOT });
export const TESTS = globSync([`tests/**/*.${extensions}`, `e2e/**/*.${extensions}`], { cwd: ROOT });
export const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

function resolve(from: string, written: string): string | undefined {
  // A bundler may be told how to take a file.
  const specifier = written.replace(/\?.*$/, '');
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}`;
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(from), specifier);
  return undefined;
}

/** Static, type-only, re-exporting and dynamic imports; of a component, those of its scripts. */
export function importsOf(file: string, source = textOf(file)): Import[] {
  const scripts = [...source.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? '');
  const code = file.endsWith('.svelte') ? scripts.join('\n') : source;
  return ts.preProcessFile(code, true, true).importedFiles.map(({ fileName }) => {
    return { from: file, specifier: fileName, target: resolve(file, fileName) };
  });
}
