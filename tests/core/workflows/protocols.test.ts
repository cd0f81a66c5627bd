// The same workflow over each protocol of model providers: the same events, and the same tokens counted.
import { expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { outcomes, startEngine } from '../../support/engine.ts';
import { PROTOCOLS, type Protocol } from '../../support/fake-model/exchange.ts';
import { CHILD, threeChildren } from '../../support/fake-model/scenarios.ts';
import { Script, thinking } from '../../support/fake-model/script.ts';

const USAGE = { input: 120, cacheRead: 30, output: 40, thinking: 7 };

/** A lead, three sub-agents that each use a tool, and one request that is refused the first time. */
function script(): Script {
  const failing = new Script().on({ ...CHILD, prompt: /part beta/, step: 1 }).reply([], { status: 429, times: 1 });
  failing.rules.push(...threeChildren({ reply: { usage: USAGE }, deltas: 3 }).rules);
  const first = failing.rules[1]!;
  if (typeof first.blocks !== 'function') first.blocks = [thinking('Three parts.'), ...first.blocks];
  return failing;
}

/** Without times, ids, what differs by protocol, and the order in which agents took turns. */
function told(events: readonly DurableEvent[]): Record<string, unknown[]> {
  const ids = /\b(?:[0-9a-f]{8}-[0-9a-f-]{27}|(?:toolu|call|msg|resp)_\w+|chatcmpl-\w+|[0-9a-f]{32,})\b/g;
  const places = /127\.0\.0\.1:\d+|triad-test-\w+|"duration_ms":\d+/g;
  // Who has to wait for a turn at its provider (`atATime`) depends on the moment, too.
  const dropped = /^(at|seq|folder|durationMs|firstTokenMs|signature|atATime|.*At|.*Ms)$/;
  const plain = JSON.parse(JSON.stringify(events), (key, value: unknown) => {
    if (dropped.test(key)) return undefined;
    return typeof value === 'string' ? value.replace(ids, 'ID').replace(places, 'PLACE') : value;
  }) as { agent: string; type: string; request?: { inputTokens?: number }; entry?: unknown }[];
  // Which calls were begun before the end of a response depends on the moment.
  const stable = plain.filter(({ type }) => type !== 'message-part');
  // How much was read only one of them tells before the end.
  for (const event of stable) if (event.type === 'message-start') delete event.request;
  // It is estimated, with as many digits as a result has for how long its sub-agent took.
  for (const { type, request } of stable) if (type === 'request-start') delete request?.inputTokens;
  // Sub-agents end in any order, and before or after the next approval of the lead.
  const isSubAgentEnd = ({ type, entry }: (typeof stable)[number]) =>
    type === 'tool-end' && /spawn_agent/.test(JSON.stringify(entry));
  const ends = stable.filter(isSubAgentEnd);
  const sorted = ends.map(({ entry }) => ({ ...(entry as object), n: 0 })).sort(byText);
  for (const [index, end] of ends.entries()) end.entry = sorted[index];
  // The lead asks for the next sub-agent before or after the answer for the one before.
  const isSpawn = ({ agent, type }: (typeof stable)[number]) =>
    agent === 'lead' && /^(approval-|tool-start)/.test(type);
  const groups = Map.groupBy(stable, (event) => {
    if (isSubAgentEnd(event)) return 'ends of sub-agents';
    return isSpawn(event) ? event.type : event.agent;
  });
  return Object.fromEntries([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

async function run(protocol: Protocol) {
  const engine = await startEngine(script(), { protocol });
  const end = await engine.ask('Inspect everything');
  expect(outcomes(end)).toEqual(['completed', 'completed', 'completed', 'completed']);
  engine.model.expectDone();
  expect(new Set(engine.model.requests.map(({ path }) => path)).size).toBe(1);
  const usage = engine.of('usage').map(({ request }) => request);
  expect(usage).toHaveLength(engine.model.requests.length);
  return { path: engine.model.requests[0]!.path, usage, events: told(engine.durable()) };
}

test('a workflow has equal events and token counts over all three provider protocols', async () => {
  const [messages, chat, responses] = await Promise.all(PROTOCOLS.map(run));
  expect([messages!.path, chat!.path, responses!.path]).toEqual([
    '/v1/messages',
    '/v1/chat/completions',
    '/v1/responses',
  ]);
  expect(messages!.usage).toHaveLength(9);
  const whole = messages!.usage.filter(({ error }) => !error);
  expect(whole).toHaveLength(8);
  for (const one of whole)
    expect(one).toMatchObject({ inputTokens: 120, cacheReadTokens: 30, outputTokens: 40, thinkingTokens: 7 });
  expect(chat!.events).toEqual(messages!.events);
  expect(responses!.events).toEqual(messages!.events);
});
