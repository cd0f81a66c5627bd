/**
 * Setup file of `npm run mutate`: passes the mutant that is on to threads. In the run without a change, appends to a
 * file which mutants each test file reaches.
 */
import { appendFileSync } from 'node:fs';
import { setEnvironmentData } from 'node:worker_threads';
import { afterAll, beforeAll, expect } from 'vitest';

interface Namespace {
  /** Number of visits by mutant id; filled by the instrumented code. */
  mutantCoverage?: { static: Record<string, number>; perTest: object };
  /** Mutants in code that runs once, when its module is loaded. Later files of this process reach them without a visit. */
  loadedMutants?: Set<string>;
}

setEnvironmentData('mutant', process.env['__STRYKER_ACTIVE_MUTANT__']);

const output = process.env['MUTATE_COVERAGE'];
if (output !== undefined) {
  const namespace: Namespace = ((globalThis as { __stryker__?: Namespace }).__stryker__ ??= {});
  const loaded = (namespace.loadedMutants ??= new Set());
  const visits = (namespace.mutantCoverage ??= { static: {}, perTest: {} }).static;
  const startedAt = performance.now();
  for (const id of Object.keys(visits)) delete visits[id];
  beforeAll(() => {
    for (const id of Object.keys(visits)) loaded.add(id);
  });
  afterAll(() => {
    const mutants = [...loaded.union(new Set(Object.keys(visits)))];
    const line = { file: expect.getState().testPath, ms: performance.now() - startedAt, mutants };
    appendFileSync(output, `${JSON.stringify(line)}\n`);
  });
}
