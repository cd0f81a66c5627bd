/** A call of each kind of tool is cut off by a stop or by kill -9: nothing half is left, and everybody knows what became of it. */
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import type { ToolEntry } from '#contract/message.ts';
import { type HostedLife, host, liveUntil, Resumer } from '../../support/crash.ts';
import type { Result } from '../../support/crash-life.ts';
import { eventually } from '../../support/eventually.ts';
import { type FakeModel, startFakeModel } from '../../support/fake-model/server.ts';
import { fullTest } from '../../support/samples.ts';
import { processesWith, sandbox, uniqueSleep } from '../workspace/shell/support.ts';
import { type CutCall, cutCalls, FILES, scriptOf } from './cut-calls.ts';

/** Every file that is left; a temporary one of a write would be among them. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
}

/** Returns the temporary files of tools. Excludes the data of the host, which is in the same folder. */
const temporaryIn = async (folder: string): Promise<string[]> =>
  (await filesIn(folder)).filter((path) => path.endsWith('.tmp') && !path.startsWith('allowed-texts'));

async function expectWhole({ kind, changes = {} }: CutCall, folder: string): Promise<void> {
  for (const [path, may] of Object.entries(changes))
    expect(may, `${kind}: ${path}`).toContain(await readFile(join(folder, path), 'utf8').catch(() => null));
}

const resultsIn = (events: readonly DurableEvent[]): ToolEntry[] =>
  events.flatMap((event) => (event.type === 'tool-end' && event.parentRunId === null ? [event.entry] : []));

/** Each question once, and none without an answer. */
function expectAnswered(events: readonly DurableEvent[], kind: string): void {
  const ids = (type: 'approval-request' | 'approval-decide'): string[] =>
    events.flatMap((event) =>
      event.type === type
        ? ['approval' in event ? event.approval.id : (event as { approvalId: string }).approvalId]
        : [],
    );
  const asked = ids('approval-request');
  expect(ids('approval-decide').sort(), kind).toEqual([...asked].sort());
}

interface Killed {
  call: CutCall;
  moment: CutCall['moments'][number];
  model: FakeModel;
  life: HostedLife;
}

async function lifeOf(root: string, index: number, call: CutCall, moment: Killed['moment']): Promise<Killed> {
  const folder = join(root, `ws-${index}`);
  await mkdir(folder);
  for (const [path, content] of Object.entries(FILES)) await writeFile(join(folder, path), content);
  const model = await startFakeModel(scriptOf(call));
  const cut = typeof moment === 'object' || moment === 'ended' ? { killIn: moment } : { killAfter: moment };
  return {
    call,
    moment,
    model,
    life: { mode: 'start', data: join(root, `store-${index}`), folder, url: model.url, ...cut },
  };
}

async function checkResumed({ call, moment, model, life }: Killed, resume: () => Promise<Result>): Promise<void> {
  const words = `${call.kind}, killed ${JSON.stringify(moment)}`;
  await expectWhole(call, life.folder);
  await call.meanwhile?.(life.folder);
  const written = Object.keys(call.changes ?? {}).filter(() => call.unknown);
  // Whatever a person makes of it until the next start stays.
  for (const path of written) {
    await mkdir(join(life.folder, path, '..'), { recursive: true });
    await writeFile(join(life.folder, path), 'since then\n');
  }
  const before = model.requests.length;
  const { end, events } = await resume();
  expect(end.outcome, words).toBe('completed');
  expect(
    events.map(({ seq }) => seq),
    words,
  ).toEqual(events.map((_, index) => index + 1));
  expectAnswered(events, words);
  const results = resultsIn(events);
  const ids = results.map(({ toolCallId }) => toolCallId);
  expect(new Set(ids).size, words).toBe(ids.length);
  const output = results[call.calls.length - 1]?.output ?? '';
  expect(output, words).toMatch(call.told);
  if (call.listedFiles) expect(call.listedFiles.test(output), `${words}: ${output}`).toBe(moment !== 'tool-start');
  const next = model.requests.slice(before).find(({ seen }) => seen.results.some(({ text }) => call.told.test(text)));
  expect(next, `${words}: the model is told`).toBeDefined();
  if (call.then) expect(results.at(-1)?.output, words).toMatch(call.then.told);
  for (const path of written) expect(await readFile(join(life.folder, path), 'utf8'), words).toBe('since then\n');
  expect(await temporaryIn(life.folder), words).toEqual([]);
  model.expectDone();
}

/** Lives that are killed with one process. */
const TOGETHER = 6;

type KilledMoment = Pick<Killed, 'call' | 'moment'>;

async function killTogether(points: readonly KilledMoment[], seconds: string, resumer: Resumer): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'triad-calls-')));
  const killed = await Promise.all(points.map(({ call, moment }, index) => lifeOf(root, index, call, moment)));
  try {
    expect(await host(killed.map(({ life }) => life)), 'killed').toBeNull();
    // Without a sandbox nothing ends what a killed program has started.
    if (sandbox) await eventually(async () => expect(await processesWith(seconds)).toEqual([]));
    for (const pid of await processesWith(seconds)) process.kill(pid, 'SIGKILL');
    for (const one of killed) await checkResumed(one, () => resumer.resume(one.life));
    expect(await processesWith(seconds)).toEqual([]);
  } finally {
    for (const { model } of killed) await model.close();
    await rm(root, { recursive: true, force: true });
  }
}

/** Calls, each with the event after which its process is killed. */
const IN_MEMORY = [
  ['read', 'tool-start'],
  ['edit', 'tool-start'],
  ['write, being asked', 'approval-decide'],
  ['question', 'approval-request'],
  ['plan', 'plan-change'],
  ['memory', 'memory-change'],
] as const;

test.for(IN_MEMORY)('resuming settles a tool call (%s) whose process was killed after %s', async ([kind, moment]) => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'triad-calls-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const call = cutCalls(uniqueSleep()).find((cutCall) => cutCall.kind === kind)!;
  const killedCall = await lifeOf(root, 0, call, moment);
  onTestFinished(() => killedCall.model.close());
  const { data, folder, url } = killedCall.life;
  await checkResumed(killedCall, await liveUntil(moment, { data, folder, url }));
});

fullTest(
  'tests/core/workflows/crash-calls.test.ts › resuming settles a tool call (%s) whose process was killed after %s',
)('kill -9 in the middle of calls of each kind, at each of their moments', { timeout: 600_000 }, async () => {
  const seconds = uniqueSleep();
  const points = cutCalls(seconds).flatMap((call) => call.moments.map((moment) => ({ call, moment })));
  const resumer = new Resumer();
  try {
    for (let at = 0; at < points.length; at += TOGETHER)
      await killTogether(points.slice(at, at + TOGETHER), seconds, resumer);
  } finally {
    resumer.end();
  }
});
