/**
 * Ends `run` and `serve` with seeded signals at seeded instants, very first starts among them; after each of them a
 * restart goes on, and what is stored is held against what the client saw and what the model's server says.
 * `node tests/soak/campaign.ts [--kills 300] [--from SEED]` starts at `TEST_SEED` if `--from` is missing. Prints a line
 * for each breach and then exits with 1. Writes `test-results/kills.json` for `scripts/summary.cjs`.
 */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DurableEvent } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { WorkflowDetail } from '#contract/view.ts';
import { connectToOwner } from '#core/host/ownership/owner-connection.ts';
import type { Instance } from '#core/host/ownership/ping-server.ts';
import { ownVersion } from '#hosts/version.ts';
import { type FakeModel, type RecordedRequest, startFakeModel } from '../support/fake-model/server.ts';
import { builtProgram } from '../support/program.ts';
import { type Accounts, accountsOf, misjudged, findUnaccounted } from './campaign-accounts.ts';
import { CampaignModel, markOf } from './campaign-model.ts';
import {
  PATIENCE_MS,
  type ProgramHome,
  type RunningProgram,
  createHome,
  seenIn,
  start,
  startRun,
  type Victim,
} from './campaign-programs.ts';
import { Deaths, STORE_MOMENTS } from './deaths.ts';
import type { StoreMoment } from './die-at.ts';
import { breachesOf } from './invariants.ts';
import { readCount } from './options.ts';
import { findPurgeBreaches, playStoreKill, type StoreVictim } from './store-kills.ts';
import { Random } from './random.ts';

/** What the next start finds, and what there is in the end. */
export interface Found {
  owner: boolean;
  notes: string[];
  /** Workflows that are neither ended nor run by anybody. */
  stuck: string[];
  /** Null where nothing of the workflow is stored. */
  before: { events: DurableEvent[]; outcome: Outcome | null; open: string[]; asleep: string[] } | null;
  after: {
    events: DurableEvent[];
    detail: WorkflowDetail;
    entries: (readonly [string, Entry[]])[];
    left: number;
  } | null;
}

export interface CampaignResult {
  kills: number;
  /** By what was killed and how. */
  counts: Record<string, number>;
  /** Processes that died at a step of the store, by moment and stage; `missed`: the program ended before its step. */
  moments: Record<string, number>;
  /** By what the next start found: nothing, or the outcome. */
  found: Record<string, number>;
  accounts: Accounts;
  /** Questions that were open when it started. */
  questions: number;
  breaches: string[];
}

const APP = builtProgram(join(import.meta.dirname, '../hosts/support/app-process.ts'));
const READER = builtProgram(join(import.meta.dirname, 'campaign-reader.ts'));
const RESULTS = join(import.meta.dirname, '../../test-results');
const SIGNALS = ['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT'] as const;
const LANES = 2;
/** Part of the kills that come at an instant of a workflow; the others come at a step of the store. */
const INSTANTS = 0.4;

type Moment = number | ((event: DurableEvent) => boolean);

class Kill {
  readonly seed: number;
  readonly fresh: boolean;
  readonly kind: 'run' | 'client' | 'owner' | 'asking';
  /** The store's moment of the kill; null for an instant of a workflow. */
  readonly moment: StoreMoment | null;
  readonly signal: (typeof SIGNALS)[number];
  readonly #after: number;

  constructor(seed: number) {
    const random = new Random('kill', seed);
    this.seed = seed;
    this.fresh = random.chance(0.35);
    this.kind = random.pick(['run', 'run', 'client', 'owner', 'asking'] as const);
    this.signal = random.pick(SIGNALS);
    this.#after = random.next();
    // Chosen last: seeds of instants stay the same.
    const isInstant = random.chance(INSTANTS);
    this.moment = isInstant ? null : (STORE_MOMENTS[random.between(0, STORE_MOMENTS.length - 1)] ?? null);
  }

  get name(): string {
    const what = this.moment ?? `${this.kind} ${this.signal}`;
    return `${what}${this.fresh ? ' first start' : ''}`;
  }

  /** `moment`: what has been seen when it is killed, or how long a start with a workflow takes. */
  async play(place: ProgramHome, moment: Moment): Promise<Victim> {
    const delay = typeof moment === 'number' ? this.#after * moment : 0;
    if (this.kind === 'asking') return this.#ask(place, delay);
    const owner = this.kind === 'run' ? null : await this.#owner(place);
    const run = startRun(this.seed, place);
    if (typeof moment === 'number') await sleep(delay);
    else while (!seenIn(run.out()).some(moment) && run.child.exitCode === null) await sleep(20);
    const killedAt = performance.timeOrigin + performance.now();
    (this.kind === 'owner' ? owner : run)?.child.kill(this.signal);
    // A client whose owner was killed takes over, and goes on to its end.
    await run.exit;
    owner?.child.kill('SIGTERM');
    await owner?.exit;
    const saw = seenIn(run.out());
    return {
      saw,
      killedAt,
      accepted: saw.length > 0,
      stopped: this.signal === 'SIGINT' && this.kind !== 'owner',
      err: run.err(),
    };
  }

  async #owner(place: ProgramHome): Promise<RunningProgram> {
    const owner = start([APP, place.pages], place);
    while (!owner.out().includes('http://') && owner.child.exitCode === null) await sleep(20);
    return owner;
  }

  /** A client that answers no question, and whose owner is killed. */
  async #ask(place: ProgramHome, delay: number): Promise<Victim> {
    const owner = await this.#owner(place);
    const instance = JSON.parse(await readFile(join(place.home, 'instance.json'), 'utf8')) as Instance;
    const hello = { version: await ownVersion(), folder: place.workspace, baseUrl: null, storeUrl: null };
    const connection = await connectToOwner(instance, hello, AbortSignal.timeout(PATIENCE_MS));
    const victim: Victim = { saw: [], killedAt: 0, accepted: false, stopped: false, err: '' };
    const work = async () => {
      if (!connection) return;
      const { client } = connection;
      const { id: conversationId } = await client.request('conversation.create', {});
      await client.subscribe('conversation', { conversationId }, (event) => {
        if ('seq' in event) victim.saw.push(event);
      });
      await client.request('message.send', { conversationId, text: `${markOf(this.seed)} Do it` });
      victim.accepted = true;
    };
    const working = work().catch(() => undefined);
    await sleep(delay);
    victim.killedAt = performance.timeOrigin + performance.now();
    owner.child.kill(this.signal === 'SIGINT' ? 'SIGTERM' : this.signal);
    await owner.exit;
    await working;
    connection?.close();
    return { ...victim, err: owner.err() };
  }
}

/** Each breach as one line. */
function breaches({ saw, accepted, stopped }: Victim, found: Found, requests: readonly RecordedRequest[]): string[] {
  const { before, after } = found;
  const lines = found.stuck.map((line) => `stuck: ${line}`);
  lines.push(
    ...found.notes
      .filter((note) => /damaged|set aside/.test(note) && !note.includes('Nothing is missing'))
      .map((note) => `the next start said: ${note}`),
  );
  if (before === null || after === null) {
    if (accepted) lines.push('lost: nothing of a message that was accepted is stored');
    return lines;
  }
  const stored = new Set(after.events.map((event) => JSON.stringify(event)));
  // A client takes back the end that its owner's death made: it was stored all the same.
  for (const event of saw)
    if (!stored.has(JSON.stringify(event))) lines.push(`lost: event ${event.seq} (${event.type}), which was shown`);
  for (const id of before.open)
    if (before.outcome === 'interrupted' && !before.asleep.includes(id)) lines.push(`lost: the question ${id}`);
  const { detail, entries, left } = after;
  const { outcome } = detail.workflow;
  if (outcome !== 'completed' && !(stopped && outcome === 'cancelled')) lines.push(`stuck: it ended as ${outcome}`);
  if (left > 0) lines.push(`stuck: ${left} questions stay open`);
  lines.push(...repeated(before.events, after.events, requests));
  return [...lines, ...breachesOf({ detail, entries: new Map(entries), requests, events: after.events })];
}

/** A request whose answer is a finished step is never sent again, and no writing tool starts twice. */
function repeated(
  before: readonly DurableEvent[],
  after: readonly DurableEvent[],
  requests: readonly RecordedRequest[],
): string[] {
  const lines: string[] = [];
  const finished = new Set(
    before.flatMap((event) =>
      event.type === 'message-end' && event.entry.kind === 'assistant' && !event.entry.interrupted
        ? [event.entry.responseId]
        : [],
    ),
  );
  const asked = ({ body }: RecordedRequest) => JSON.stringify([body.system, body.messages]);
  for (const request of requests)
    if (request.responseId !== null && finished.has(request.responseId))
      for (const later of requests)
        if (later.index > request.index && asked(later) === asked(request))
          lines.push(`repeated: request ${request.index}, whose answer was stored, as ${later.index}`);
  const writes = after.flatMap((event) =>
    event.type === 'tool-start' && event.name === 'write_file' ? [event.toolCallId] : [],
  );
  if (new Set(writes).size !== writes.length) lines.push('repeated: a writing tool ran twice');
  return lines;
}

/** `at`: kills programs that run a workflow once this is seen, without knowing how long one takes. */
export async function campaign(
  seeds: readonly number[],
  report: (line: string) => void = () => undefined,
  at?: (event: DurableEvent) => boolean,
): Promise<CampaignResult> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'triad-kills-')));
  const model = await startFakeModel(new CampaignModel());
  const result: CampaignResult = {
    kills: 0,
    counts: {},
    moments: {},
    found: {},
    accounts: accountsOf([], [], 0),
    questions: 0,
    breaches: [],
  };
  const waiting = [...seeds];
  const deaths = new Deaths(result.moments);
  try {
    const moment = at ?? (await wholeRun(await createHome(join(base, 'whole'), model.url)));
    const lane = async (_: unknown, index: number) => {
      let number = 0;
      let place = await createHome(join(base, `${index}-0`), model.url);
      for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
        const kill = new Kill(seed);
        if (kill.fresh) {
          await rm(join(place.home, '..'), { recursive: true, force: true });
          place = await createHome(join(base, `${index}-${(number += 1)}`), model.url);
        }
        const found = await playOne(kill, place, { model, moment, deaths, result }).catch((error: unknown) => [
          `failed: ${String(error)}`,
        ]);
        result.kills += 1;
        result.counts[kill.name] = (result.counts[kill.name] ?? 0) + 1;
        const lines = found.map((line) => `seed ${seed} (${kill.name}): ${line}`);
        result.breaches.push(...lines);
        for (const line of lines) report(line);
        if (result.kills % 25 === 0) report(`${result.kills} of ${seeds.length}, ${result.breaches.length} breaches`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  } finally {
    await model.close();
    await rm(base, { recursive: true, force: true, maxRetries: 3 });
  }
  return result;
}

interface Play {
  model: FakeModel;
  moment: Moment;
  deaths: Deaths;
  result: CampaignResult;
}

async function playOne(kill: Kill, place: ProgramHome, { model, moment, deaths, result }: Play): Promise<string[]> {
  const victim =
    kill.moment === null ? await kill.play(place, moment) : await playStoreKill(kill.moment, kill.seed, place, deaths);
  const { purge = null, lines = [] } = victim as Partial<StoreVictim>;
  const reader = start([READER, markOf(kill.seed), ...(purge ? ['restore', purge.conversationId] : [])], place);
  const code = await reader.exit;
  if (code !== 0) return [`stuck: the next start ended with ${code}: ${reader.err()} ${victim.err}`];
  const found = JSON.parse(reader.out()) as Found;
  const what = found.before === null ? 'nothing' : String(found.before.outcome);
  result.found[what] = (result.found[what] ?? 0) + 1;
  result.questions += found.before?.open.length ?? 0;
  const mark = `[kill ${kill.seed}`;
  const own = model.requests.filter(({ seen }) => seen.prompt.includes(`${mark}]`) || seen.prompt.includes(`${mark} `));
  const rows = found.after?.detail.requests ?? [];
  if (purge) {
    lines.push(...(await findPurgeBreaches(place, purge, found.before !== null)));
    // Its requests are gone with it: they are in no account.
    if (found.before === null) return [...lines, ...found.stuck.map((line) => `stuck: ${line}`)];
  }
  const accounts = accountsOf(rows, own, victim.killedAt);
  for (const key of Object.keys(accounts) as (keyof Accounts)[]) result.accounts[key] += accounts[key];
  return [...lines, ...breaches(victim, found, own), ...findUnaccounted(rows, own)];
}

/** How long a first start with a workflow takes on this machine, in milliseconds. */
async function wholeRun(place: ProgramHome): Promise<number> {
  const began = performance.now();
  const run = startRun(0, place);
  if ((await run.exit) !== 0) throw new Error(`a run without a kill fails: ${run.err()}`);
  return performance.now() - began;
}

if (import.meta.main) {
  const began = performance.now();
  // Each day has seeds of its own.
  const from = readCount('from', Number(process.env['TEST_SEED'] || 1) * 1000);
  console.log(`Seeds from ${from}`);
  const seeds = Array.from({ length: readCount('kills', 300) }, (_, index) => from + index);
  const { breaches: found, ...counts } = await campaign(seeds, (line) => console.error(line));
  console.log(JSON.stringify({ ...counts, seconds: Math.round((performance.now() - began) / 1000) }));
  const lines = [...found, ...misjudged(counts.accounts)];
  for (const line of lines.slice(found.length)) console.error(line);
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, 'kills.json'), JSON.stringify({ kills: counts.kills, breaches: lines }));
  console.log(`${lines.length} breaches`);
  process.exit(lines.length === 0 ? 0 : 1);
}
