/** The bundle of the program has with it what it starts and reads: it works where there are no sources. */
import { cp, readdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { Script } from '../support/fake-model/script.ts';
import { CLI, ROOT } from '../support/program.ts';
import { fullTest } from '../support/samples.ts';
import { folderWith } from '../support/workspace.ts';
import { machine } from './support/process.ts';

const isBundled = CLI.endsWith('.js');

/** The command line where there is nothing but what was built, and where that is. */
async function alone() {
  const copy = await folderWith({});
  const built = join(copy, 'dist/electron');
  await cp(dirname(CLI), built, { recursive: true });
  await Promise.all(
    ['schema', 'node_modules', 'package.json'].map((name) => symlink(join(ROOT, name), join(copy, name))),
  );
  return { built, ...(await machine(new Script(), join(built, 'cli.js'))) };
}

// In every run of the tests `packed` looks for what is built, and `backups/missing-check` does the second.
fullTest('tests/hosts/packed.test.ts › every file that the program starts or reads is built and packed', isBundled)(
  'the built program verifies backups without the sources',
  async () => {
    const { triad } = await alone();
    const agents = await triad(['agents', 'list', '--json']);
    expect(agents.out).toContain('"lead"');
    const backup = await triad(['backup', '--json']);
    expect(JSON.parse(backup.out)).toMatchObject({ conversations: 0, missing: null });
  },
);

fullTest(
  'tests/core/store/backups/missing-check.test.ts › rejects a backup copy if the check program is missing, with the reason',
  isBundled,
)('makes no backup if the program that checks copies is missing', async () => {
  const { built, triad, home } = await alone();
  await rm(join(built, 'check-copy.js'));
  const unchecked = await triad(['backup']);
  expect(unchecked.code).toBe(1);
  expect(unchecked.err).toMatch(/^triad: Copies of the store cannot be checked, because .*check-copy\.js is missing: /);
  expect(await readdir(join(home, 'backups')).catch(() => [])).toEqual([]);
});
