/** The tests that `npm run mutate` runs against each change of the code: those that need no store, process or server, so that thousands of changes take minutes. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = join(import.meta.dirname, '../..');
const PLACES = ['tests/core/{approvals,budget,runs,tools}/*.test.ts', 'tests/core/store/apply*.test.ts'];
/** What makes a file slow, or lets it change what is around it. */
const SLOW =
  /\/support\/(engine|reflecting|crash|compose)\.ts'|surreal\.ts'|openOn|vi\.(mock|stubGlobal)\(|child_process/;

process.umask(0o022);

/** The first failure ends a run: what tries hundreds of inputs comes last. */
class QuickFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      readFileSync(moduleId, 'utf8').includes("'fast-check'");
    return Promise.resolve(files.toSorted((a, b) => Number(isLong(a)) - Number(isLong(b))));
  }
}

export default defineConfig({
  root: ROOT,
  test: {
    include: globSync(PLACES, { cwd: ROOT }).filter((path) => !SLOW.test(readFileSync(join(ROOT, path), 'utf8'))),
    isolate: false,
    sequence: { sequencer: QuickFirst },
    testTimeout: 10_000,
  },
});
