/** No path that a tool is given leads out of the workspace: every attempt is real, and looked at from outside. */
import { globSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { allTools } from '#core/tools/all-tools.ts';
import type { SearchJob } from '#core/tools/search/search.ts';
import type { Tool, ToolContext } from '#core/tools/tool.ts';
import { isInside } from '#core/workspace/reach.ts';
import { inSoak } from '../../support/samples.ts';
import { contextIn } from '../../support/workspace.ts';
import { PATH_ATTEMPTS, type PathAttempt } from './path-attempts.ts';
import { HIDDEN, hiddenState, makes, pathField, type PathField, reads } from './path-field.ts';
import { missingInputs, PATH_INPUTS, pathFor } from './path-tools.ts';

const SEARCHES = new Set(['grep', 'glob']);

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
    asked: question.status === 'fulfilled' && question.value !== undefined,
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

describe(`out of the workspace by a path (${PATH_ATTEMPTS.length} ways: ${[...Map.groupBy(PATH_ATTEMPTS, ({ kind }) => kind)].map(([kind, { length }]) => `${kind} ${length}`).join(', ')})`, () => {
  test('every input that is named like a path is tried', () => expect(missingInputs(allTools())).toEqual([]));

  test.for(PATH_INPUTS)('$tool by its $input', async (one) => {
    const place = await field();
    const before = await hiddenState(place);
    const tool = allTools().find(({ name }) => name === one.tool)!;
    const context = contextIn(place.workspace);
    let tried = 0;
    for (const [index, attempt] of PATH_ATTEMPTS.entries()) {
      const path = pathFor(attempt, one, attempt.at(place));
      // Every attempt meets some inputs, and the dear ones, which start the thread of a search, fewer; the soak tries them all.
      const isDear = SEARCHES.has(one.tool) && index % (attempt.takes === 'folder' ? 3 : 5) > 0;
      const isOthers = !SEARCHES.has(one.tool) && (index + PATH_INPUTS.indexOf(one)) % 3 > 0;
      if (path === null || ((isDear || isOthers) && !inSoak)) continue;
      tried += 1;
      const words = `${attempt.kind}: ${attempt.name}`;
      const using = attempt.inside ? { ...context, search: insideOnly(place) } : context;
      const call = await saidBy(tool, one.call(path), using, () => swapIn(place, attempt));
      if (!attempt.writes) expect(call.said, words).not.toMatch(HIDDEN);
      if (attempt.inside || attempt.takes === 'pattern') continue;
      expect(call.refused, `${words}: ${call.said}`).toBe(true);
      if (!attempt.swap) expect(call.asked, `${words}: ${call.said}`).toBe(false);
      if (!attempt.swap && attempt.takes === 'folder') expect(call.targeted, words).toBe(false);
    }
    expect(tried).toBeGreaterThan(5);
    expect(await hiddenState(place)).toEqual(before);
    const plain = await saidBy(tool, one.call(one.plain[0]), context, () => swapIn(place, {}));
    expect(plain).toMatchObject({ refused: false, said: expect.stringContaining(one.plain[1]) as string });
  });

  test('the attempts are worth something: without confinement they work', async () => {
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
    const some = PATH_ATTEMPTS.filter((_, index) => index % 3 === 0 || inSoak);
    for (const attempt of some) {
      const back = await swapIn(place, attempt);
      if ((await works(attempt)) === Boolean(attempt.elsewhere)) wrong.push(`${attempt.kind}: ${attempt.name}`);
      await back();
    }
    expect(wrong).toEqual([]);
  });
});
