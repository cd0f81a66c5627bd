/**
 * Setup file of `npm run mutate`: passes the id of the active mutant to threads. In the run without a change, appends the
 * mutants that each test file reaches to a file.
 */
import { appendFileSync } from 'node:fs';
import { setEnvironmentData } from 'node:worker_threads';
import { afterAll, beforeAll, expect } from 'vitest';

interface StrykerNamespace {
  /** Number of visits by mutant id; filled by the instrumented code. */
  mutantCoverage?: { static: Record<string, number>; perTest: object };
  /** Mutants in code that runs once, when its module loads. Later files of the process reach them without a visit. */
  loadedMutants?: Set<string>;
}

setEnvironmentData('mutant', process.env['__STRYKER_ACTIVE_MUTANT__']);

const output = process.env['MUTATE_COVERAGE'];
if (output !== undefined) {
  const namespace: StrykerNamespace = ((globalThis as { __stryker__?: StrykerNamespace }).__stryker__ ??= {});
  const loadedIds = (namespace.loadedMutants ??= new Set());
  const visits = (namespace.mutantCoverage ??= { static: {}, perTest: {} }).static;
  const startedAt = performance.now();
  const takeVisits = (): string[] => {
    const ids = Object.keys(visits);
    for (const id of ids) delete visits[id];
    return ids;
  };
  const addLoaded = (): void => takeVisits().forEach((id) => loadedIds.add(id));
  // The hooks of a file whose tests are all skipped do not run, but it loads modules.
  addLoaded();
  beforeAll(addLoaded);
  afterAll(() => {
    const ms = performance.now() - startedAt;
    const line = { file: expect.getState().testPath, ms, visited: takeVisits(), loaded: [...loadedIds] };
    appendFileSync(output, `${JSON.stringify(line)}\n`);
  });
}
