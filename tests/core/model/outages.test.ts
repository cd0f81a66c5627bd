/** Outages in each phase of a workflow with three sub-agents: it completes when the network returns, and repeats nothing. */
import { expect, test } from 'vitest';
import type { OutageKind } from '../../support/fake-model/outage-proxy.ts';
import { OUTAGE_KINDS, startOutageProxy } from '../../support/fake-model/outage-proxy.ts';
import { DEFAULT_ALIASES } from '#core/settings/model-aliases.ts';
import { systemClock } from '#core/model/request-retries.ts';
import { FastClock } from '../../support/compose.ts';
import { type Harness, startEngine } from '../../support/engine.ts';
import { threeChildren } from '../../support/fake-model/scenarios.ts';
import { inFullRun, TEST_SEED } from '../../support/samples.ts';

/** A request and the first half of its answer, for each of the eight requests of the workflow. */
const PHASES = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((atRequest) =>
  [false, true].map((isMidAnswer) => ({ atRequest, isMidAnswer })),
);
const DURATIONS_MS = [2_000, 15_000, 60_000, 300_000] as const;
/** A silent connection ends by the inactivity limit, which is 1 s here in place of 300 s. */
const INACTIVITY = '[limits]\ninactivity_seconds = 1\n';
const SILENT_MS = [200, 900] as const;

interface OutageCase {
  kind: OutageKind;
  atRequest: number;
  isMidAnswer: boolean;
  durationMs: number;
}

const cases: OutageCase[] = OUTAGE_KINDS.flatMap((kind) =>
  PHASES.flatMap((phase) =>
    (kind === 'silent' ? SILENT_MS : DURATIONS_MS).map((durationMs) => ({ kind, ...phase, durationMs })),
  ),
);
const EVERY = inFullRun ? 9 : 17;
const sampled = cases.filter((_, index) => (index + Number(TEST_SEED)) % EVERY === 0);

/** Checks that no run got two whole answers to the same turn, and that every call has one result. */
function checkNothingRepeated(engine: Harness, workflowId: string): void {
  const whole = engine
    .of('usage')
    .filter((event) => event.workflowId === workflowId && event.request.error === null)
    .map(({ runId, request }) => `${runId} ${request.turn}`);
  expect(whole).toEqual([...new Set(whole)]);
  const calls = engine.of('tool-end').map(({ runId, entry }) => `${runId} ${entry.toolCallId}`);
  expect(calls).toEqual([...new Set(calls)]);
}

async function runThrough({ kind, durationMs, ...phase }: OutageCase, clock = new FastClock()): Promise<Harness> {
  const script = threeChildren({ deltas: 8 });
  let url = '';
  const environment = {
    apiKey: 'test-key',
    get baseUrl() {
      return url;
    },
  };
  const engine = await startEngine(script, {
    settings: INACTIVITY,
    retryClock: clock,
    environment,
    // The list makes the endpoint one that has answered before.
    models: [DEFAULT_ALIASES.sonnet],
  });
  const isReal = clock === (systemClock as unknown);
  const now = kind === 'silent' || isReal ? () => performance.now() : () => clock.now();
  const proxy = await startOutageProxy(engine.model.url, { kind, durationMs, now, ...phase });
  url = proxy.url;
  const { workflowId } = await engine.send('Inspect all parts.');
  await proxy.down;
  // A new message is taken at any time, in another conversation.
  const other = await engine.runtime.request('conversation.create', {});
  const next = await engine.runtime.request('message.send', { conversationId: other.id, text: 'Inspect all parts.' });
  const end = await engine.ended(workflowId);
  expect(end).toMatchObject({ outcome: 'completed', error: null });
  checkNothingRepeated(engine, workflowId);
  await expect
    .poll(
      async () => (await engine.runtime.request('workflow.get', { workflowId: next.workflowId })).workflow.outcome,
      { timeout: 20_000 },
    )
    .toMatch(/completed|rejected/);
  return engine;
}

test.for(
  sampled.map(
    (one) =>
      [
        `${one.kind} for ${one.durationMs} ms at request ${one.atRequest}${one.isMidAnswer ? ', in its answer' : ''}`,
        one,
      ] as const,
  ),
)('a workflow completes despite an outage: %s', async ([, one]) => {
  await runThrough(one);
});

test('a workflow completes after two seconds without network on the real clock', async () => {
  const started = performance.now();
  await runThrough(
    { kind: 'refused', atRequest: 3, isMidAnswer: false, durationMs: 2000 },
    systemClock as unknown as FastClock,
  );
  expect(performance.now() - started).toBeGreaterThan(2000);
});
