/** The tests that `npm run mutate` runs: files of the ordinary run, in the order of MUTATE_FILES, with shorter time limits. */
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import ordinary from '../../vitest.config.ts';

const ROOT = join(import.meta.dirname, '../..');
const files = JSON.parse(process.env['MUTATE_FILES'] ?? '[]') as string[];
const positions = new Map(files.map((file, position) => [join(ROOT, file), position]));
/** Time limit of a test, in milliseconds: a changed program may never answer. */
const testLimitMs = Number(process.env['MUTATE_TEST_LIMIT_MS']);
/** The order of the projects. Files of one project share a process only if they follow each other. */
const PROJECTS = ['unit', 'engine', 'alone'];

// Replaces the folder of the ordinary configuration, which other runs share.
process.env['TMPDIR'] = process.env['MUTATE_TMPDIR'];

/** Keeps the order of MUTATE_FILES within a project, because the first failure ends a run. */
class InOrder extends BaseSequencer {
  override sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const position = ({ moduleId, project }: TestSpecification): number =>
      PROJECTS.indexOf(project.name) * files.length + (positions.get(moduleId) ?? 0);
    return Promise.resolve(specifications.toSorted((a, b) => position(a) - position(b)));
  }
}

/** The only shape of projects in the ordinary configuration. */
interface VitestProject {
  test: { name: string; include: string[] };
}

export default defineConfig((env) => {
  const { test = {} } = ordinary(env);
  const limits = { testTimeout: testLimitMs, hookTimeout: testLimitMs, expect: { poll: { timeout: testLimitMs } } };
  const setupFiles = [join(import.meta.dirname, 'setup.ts')];
  const projects = (test.projects as VitestProject[])
    .map((project) => ({ ...project, include: project.test.include.filter((file) => files.includes(file)) }))
    .filter(({ include }) => include.length > 0)
    .map(({ include, ...project }) => ({ ...project, test: { ...project.test, ...limits, include, setupFiles } }));
  return { root: ROOT, test: { ...test, projects, sequence: { sequencer: InOrder } } };
});
