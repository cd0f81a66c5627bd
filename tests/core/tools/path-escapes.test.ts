/** No path that a tool is given leads out of the workspace: every attempt is real, and looked at from outside. */
import { globSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { allTools } from '#core/tools/all-tools.ts';
import type { SearchJob } from '#core/tools/search/search.ts';
import type { Tool, ToolContext } from '#core/tools/tool.ts';
import { isInside } from '#core/workspace/reach.ts';
import { inFullRun } from '../../support/samples.ts';
import { contextIn, contextWith } from '../../support/workspace.ts';
import { PATH_ATTEMPTS, type PathAttempt } from './path-attempts.ts';
import { HIDDEN, hiddenState, makes, pathField, type PathField, reads } from './path-field.ts';
import { missingInputs, PATH_INPUTS, type PathInput, pathFor } from './path-tools.ts';

const SEARCHES = new Set(['grep', 'glob']);

/** Those that only read leave one field as it was for the next. */
const GROUPS = [
  { name: 'tools that only read, by each path input', inputs: PATH_INPUTS.filter(({ writes }) => !writes) },
  ...PATH_INPUTS.filter(({ writes }) => writes).map((one) => ({
    name: `${one.tool} by its ${one.input}`,
    inputs: [one],
  })),
];

async function field(): Promise<PathField> {
  const place = await pathField();
  vi.stubEnv('HOME', join(place.root, 'home'));
  onTestFinished(() => void vi.unstubAllEnvs());
  return place;
}

/** All that a call, its rules and its question say; what was refused, and whether somebody would have been asked. */
async function saidBy(tool: Tool, input: unknown, context: ToolContext, swap: () => Promise<() => Promise<void>>) {
  const parsed = tool.input.safeParse(input);
  if (!parsed.success) return { refused: true, targeted: false, asked: false, said: parsed.error.message };
  const [targets, question] = await Promise.allSettled([
    tool.targets?.(parsed.data, context.workspace),
    tool.question?.(parsed.data, context),
  ]);
  const back = await swap();
  const [result] = await Promise.allSettled([tool.execute(parsed.data, context, null)]);
  await back();
  const said = [targets, question, result].map((one) =>
    one.status === 'fulfilled' ? JSON.stringify(one.value) : String(one.reason),
  );
  return {
    refused: result.status === 'rejected' || result.value.status === 'error',
    targeted: targets.status === 'fulfilled',
    asked: question.status === 'fulfilled' && (question.value ?? null) !== null,
    said: said.join('\n'),
  };
}

/** Puts something else in the place of a path; resolves with how to take it back. */
async function swapIn(place: PathField, { swap }: Pick<PathAttempt, 'swap'>): Promise<() => Promise<void>> {
  if (!swap) return () => Promise.resolve();
  const full = join(place.ws, swap.path);
  await rename(full, join(place.root, 'aside'));
  await swap.make(place, full);
  return async () => {
    await rm(full, { force: true });
    await rename(join(place.root, 'aside'), full);
  };
}

/** A search that would begin inside finds nothing hidden that it is not shown elsewhere to pass over: it need not run. */
const insideOnly =
  ({ ws }: PathField) =>
  (job: SearchJob) => {
    expect(isInside(ws, job.start)).toBe(true);
    return Promise.resolve({ lines: [], marks: [], more: false, timedOut: false, files: 0, passedOver: false });
  };

const toolOf = (one: PathInput): Tool => allTools().find(({ name }) => name === one.tool)!;

/** Every attempt meets an input that writes, some one that reads, and few the dear ones, which search; the full run tries them all. */
function isTried({ takes }: PathAttempt, index: number, one: PathInput): boolean {
  if (inFullRun) return true;
  if (SEARCHES.has(one.tool)) return index % (takes === 'pattern' ? 5 : 18) === 0;
  return (index + PATH_INPUTS.indexOf(one)) % (one.writes ? 5 : 17) === 0;
}

/** Tries what makes sense for an input, and returns how many that were. */
async function attempted(place: PathField, one: PathInput, context: ToolContext): Promise<number> {
  let tried = 0;
  for (const [index, attempt] of PATH_ATTEMPTS.entries()) {
    const path = pathFor(attempt, one, attempt.at(place));
    if (path === null || !isTried(attempt, index, one)) continue;
    tried += 1;
    const words = `${one.tool} by its ${one.input}, ${attempt.kind}: ${attempt.name}`;
    const using = attempt.inside ? contextWith(context, { search: { run: insideOnly(place) } }) : context;
    const call = await saidBy(toolOf(one), one.call(path), using, () => swapIn(place, attempt));
    if (!attempt.writes) expect(call.said, words).not.toMatch(HIDDEN);
    if (attempt.inside || attempt.takes === 'pattern') continue;
    expect(call.refused, `${words}: ${call.said}`).toBe(true);
    if (!attempt.swap) expect(call.asked, `${words}: ${call.said}`).toBe(false);
    if (!attempt.swap && attempt.takes === 'folder') expect(call.targeted, words).toBe(false);
  }
  return tried;
}

describe(`out of the workspace by a path (${PATH_ATTEMPTS.length} ways: ${[...Map.groupBy(PATH_ATTEMPTS, ({ kind }) => kind)].map(([kind, { length }]) => `${kind} ${length}`).join(', ')})`, () => {
  test('the attempts cover every tool input that is named like a path', () =>
    expect(missingInputs(allTools())).toEqual([]));

  test.for(GROUPS)('$name', async ({ inputs }) => {
    const place = await field();
    const before = await hiddenState(place);
    const context = contextIn(place.workspace);
    for (const one of inputs) expect(await attempted(place, one, context), one.input).toBeGreaterThan(5);
    expect(await hiddenState(place)).toEqual(before);
    for (const one of inputs) {
      const plain = await saidBy(toolOf(one), one.call(one.plain[0]), context, () => swapIn(place, {}));
      expect(plain).toMatchObject({ refused: false, said: expect.stringContaining(one.plain[1]) as string });
    }
  });

  test('the attempts succeed without confinement, so the test is meaningful', async () => {
    const place = await field();
    const works = async ({ takes, ...attempt }: PathAttempt): Promise<boolean> => {
      const at = attempt.at(place);
      if (takes === 'folder') return reads(place, `${at}/bait.txt`);
      if (takes === 'file') return reads(place, at);
      if (takes === 'new') return makes(place, at, (path) => rm(path));
      const found = globSync(at, { cwd: place.ws });
      return found.some((path) => /bait|UNASKED/.test(path));
    };
    const wrong: string[] = [];
    const some = PATH_ATTEMPTS.filter((_, index) => index % 5 === 0 || inFullRun);
    for (const attempt of some) {
      const back = await swapIn(place, attempt);
      if ((await works(attempt)) === Boolean(attempt.elsewhere)) wrong.push(`${attempt.kind}: ${attempt.name}`);
      await back();
    }
    expect(wrong).toEqual([]);
  });
});
