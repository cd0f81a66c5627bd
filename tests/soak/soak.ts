/**
 * Plays seeded plans full of faults against two real hosts, and checks after each that the promises were kept.
 * `node tests/soak/soak.ts [--seeds N] [--from 1] [--parallel 4]` runs until a breach if `--seeds` is missing. Prints a
 * line for each breach and exits with 1.
 */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DurableEvent } from '#contract/event.ts';
import { startFakeModel } from '../support/fake-model/server.ts';
import { ChaosModel } from './chaos-model.ts';
import { Cluster } from './cluster.ts';
import { breachesOf, differences } from './invariants.ts';
import { readCount } from './options.ts';
import { leadMark, planOf } from './plan.ts';
import { type Played, Scenario } from './scenario.ts';
import type { Window } from './window.ts';

export interface SoakOptions {
  seeds: readonly number[];
  parallel: number;
  report?: (line: string) => void;
}

export interface SoakResult {
  played: number;
  workflows: number;
  kills: number;
  requests: number;
  outcomes: Record<string, number>;
  breaches: string[];
}

/** How long windows may take at most to show what is stored, on a busy machine. */
const REST_MS = 60_000;
/** Number of seeds in one round. */
const ROUND_SEEDS = 250;

export async function soak({ seeds, parallel, report = () => undefined }: SoakOptions): Promise<SoakResult> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'triad-soak-')));
  const script = new ChaosModel();
  const model = await startFakeModel(script);
  const cluster = new Cluster(folder, model.url);
  const result: SoakResult = { played: 0, workflows: 0, kills: 0, requests: 0, outcomes: {}, breaches: [] };
  const waiting = [...seeds];
  const work = async () => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const plan = planOf(seed);
      script.add(plan);
      const scenario = new Scenario(cluster, plan);
      const known = result.breaches.length;
      try {
        await check(await scenario.play(), model.requests, result);
      } catch (error) {
        result.breaches.push(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
      } finally {
        scenario.close();
      }
      for (const line of result.breaches.slice(known)) if (line.startsWith(`seed ${seed}:`)) report(line);
      result.played += 1;
      if (result.played % 25 === 0) report(`${result.played} of ${seeds.length}, ${result.breaches.length} breaches`);
    }
  };
  try {
    await cluster.start();
    await Promise.all(Array.from({ length: parallel }, work));
  } finally {
    await cluster.stop();
    await model.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  return { ...result, kills: cluster.kills, requests: model.requests.length };
}

async function check(
  { plan, conversationId, workflowIds, windows }: Played,
  requests: Parameters<typeof breachesOf>[0]['requests'],
  result: SoakResult,
): Promise<void> {
  const [, , last] = windows;
  const marks = plan.messages.map((_, index) => leadMark(plan.seed, index).slice('[lead '.length, -1));
  const own = requests.filter(({ body }) => {
    const text = JSON.stringify(body.messages);
    return marks.some((mark) => text.includes(`[lead ${mark}]`) || text.includes(`[child ${mark}/`));
  });
  const events = await eventsOf(last, conversationId);
  for (const workflowId of workflowIds) {
    const detail = await last.ask('workflow.get', { workflowId });
    const entries = new Map(
      await Promise.all(detail.runs.map(async ({ id }) => [id, await last.ask('run.entries', { runId: id })] as const)),
    );
    const outcome = detail.workflow.outcome ?? 'none';
    result.outcomes[outcome] = (result.outcomes[outcome] ?? 0) + 1;
    result.workflows += 1;
    result.breaches.push(
      ...breachesOf({ detail, entries, requests: own, events }).map((line) => `seed ${plan.seed}: ${line}`),
    );
  }
  let found: string[] = [];
  for (const end = Date.now() + REST_MS; Date.now() < end; await sleep(50)) {
    found = differences(windows.map(({ view }) => view));
    if (found.length === 0 && last.view !== null) return;
  }
  result.breaches.push(...found.map((line) => `seed ${plan.seed}: ${line}`));
}

async function eventsOf(window: Window, conversationId: string): Promise<DurableEvent[]> {
  const events: DurableEvent[] = [];
  for (;;) {
    const page = await window.ask('conversation.events', { conversationId, after: events.at(-1)?.seq ?? 0 });
    if (page.length === 0) return events;
    events.push(...page);
  }
}

if (import.meta.main) {
  const last = readCount('from', 1) + readCount('seeds', Infinity) - 1;
  // The model's server stores every request. A new round starts a new server.
  for (let from = readCount('from', 1); from <= last; from += ROUND_SEEDS) {
    const started = performance.now();
    const { breaches, ...counts } = await soak({
      seeds: Array.from({ length: Math.min(ROUND_SEEDS, last - from + 1) }, (_, index) => from + index),
      parallel: readCount('parallel', 4),
      report: (line) => console.error(line),
    });
    console.log(JSON.stringify({ from, ...counts, seconds: Math.round((performance.now() - started) / 1000) }));
    if (breaches.length === 0) continue;
    console.log(`${breaches.length} breaches`);
    process.exit(1);
  }
  process.exit(0);
}
