/** Of the parts of bits-ui those that the app uses: to compile all of them takes longer than all tests of components. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ENTRY = /\/bits-ui\/dist\/index\.js$/;

/** A plugin of Vite; `root`: the folder of the project. */
export function usedBits(root: string) {
  return {
    name: 'used-bits',
    enforce: 'pre' as const,
    load(id: string): string | null {
      if (!ENTRY.test(id)) return null;
      const used = usedIn(root);
      const lines = readFileSync(join(dirname(id), 'bits/index.js'), 'utf8').split('\n');
      return lines
        .filter((line) => namesIn(line).some((name) => used.has(name)))
        .map((line) => line.replace('"./', '"./bits/'))
        .join('\n');
    },
  };
}

function usedIn(root: string): Set<string> {
  const sources = globSync('src/**/*.svelte', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'));
  return new Set(
    sources
      .flatMap((text) => text.match(/import \{[^}]*\} from 'bits-ui'/g) ?? [])
      .values()
      .flatMap(namesIn),
  );
}

/** The names in the first braces. */
function namesIn(line: string): string[] {
  return (/\{([^}]*)\}/.exec(line)?.[1] ?? '').split(',').map((name) => name.trim());
}
