/** A bundle is made again exactly when what it is made of has changed, whatever the times of the files say. */
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../support/workspace.ts';

interface Bundle {
  result: string;
  sources: string[];
}
const { beginBuild, isFresh } = createRequire(import.meta.url)('../../scripts/bundles.cjs') as {
  beginBuild: (bundle: Bundle, at: string) => () => void;
  isFresh: (bundle: Bundle, at: string) => boolean;
};

const bundle = { result: 'out.js', sources: ['src', 'config.ts'] };
const LONG_AGO = new Date('2020-01-01');

test('a bundle is stale if the content of its sources or its result changed, whatever their times', async () => {
  const at = await folderWith({ 'src/a.ts': 'a', 'src/b.ts': 'b', 'config.ts': '', 'node_modules/x': '' });
  const write = (name: string, text: string) => writeFileSync(join(at, name), text);
  const fresh = () => isFresh(bundle, at);
  const build = (meanwhile = () => undefined as unknown) => {
    const built = beginBuild(bundle, at);
    meanwhile();
    write('out.js', `${Math.random()}`);
    built();
  };
  expect(fresh()).toBe(false);
  build();
  expect(fresh()).toBe(true);

  // A file that was put back with its old time.
  write('src/a.ts', 'c');
  utimesSync(join(at, 'src/a.ts'), LONG_AGO, LONG_AGO);
  expect(fresh()).toBe(false);
  // There and back again, as by changing branches.
  write('src/a.ts', 'a');
  expect(fresh()).toBe(true);

  rmSync(join(at, 'src/b.ts'));
  expect(fresh()).toBe(false);
  write('src/b.ts', 'b');
  expect(fresh()).toBe(true);

  build(() => write('src/a.ts', 'changed while it is built'));
  expect(fresh()).toBe(false);
  build();
  expect(fresh()).toBe(true);

  // Somebody else built it, who knows of what.
  write('out.js', 'another');
  utimesSync(join(at, 'out.js'), LONG_AGO, LONG_AGO);
  expect(fresh()).toBe(false);
  build();
  rmSync(join(at, 'out.js'));
  expect(fresh()).toBe(false);
});
