/** What makes a provider's cache pay: a request begins with all that the one before it ended with. */
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { summarising, SUMMARISER } from '../../support/fake-model/compacting.ts';
import { delegateTo } from '../../support/fake-model/scenarios.ts';
import { text, toolUse } from '../../support/fake-model/script.ts';
import type { WireBody } from '../../support/fake-model/request.ts';

const POINT = /,"cache_control":\{"type":"ephemeral"\}/g;

/** In the order in which a provider reads it, without the marks, which are no part of what is cached. */
const read = ({ tools, system, messages }: WireBody): string =>
  [tools ?? [], system ?? [], messages]
    .map((part) => JSON.stringify(part).slice(0, -1))
    .join('')
    .replace(POINT, '');

/** Up to its last cache point. */
function cachedOf(body: WireBody): string {
  const whole = [body.tools ?? [], body.system ?? [], body.messages]
    .map((part) => JSON.stringify(part).slice(0, -1))
    .join('');
  const end = whole.lastIndexOf(',"cache_control"');
  expect(end).toBeGreaterThan(0);
  return whole.slice(0, end).replace(POINT, '');
}

const points = (body: WireBody): number => JSON.stringify(body).match(POINT)?.length ?? 0;

test('lead requests begin with the cached prefix of the last one, except after compaction; sub-agents share a prefix', async () => {
  const look = (pattern: string) => toolUse('glob', { pattern });
  const script = summarising()
    .on({ leads: false })
    .reply([text('# Report\nFound.')])
    .on({ lastUser: /^Go/ })
    .reply([look('*.md'), look('*.ts')])
    .on({ where: ({ results }) => results.length === 2 && results.every(({ text: said }) => !said.includes('Found')) })
    .reply([delegateTo('fact-finder', 'Find one.'), delegateTo('fact-finder', 'Find two.')])
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(script);
  const { conversationId } = engine;
  await engine.ask('Go and look');
  await engine.ask('And now?');
  await engine.runtime.request('context.compact', { conversationId });
  await engine.ask('And then?');
  await engine.ask('At last?');
  const bodies = engine.model.requests.filter(({ seen }) => !SUMMARISER.test(seen.system)).map(({ seen }) => seen.body);
  for (const body of bodies) expect(points(body)).toBeLessThanOrEqual(4);
  const leads = bodies.filter(({ tools }) => tools?.some(({ name }) => name === 'spawn_agent'));
  const isAfter = leads.findIndex((body) => JSON.stringify(body).includes('The notes of the model.'));
  expect(leads.length - isAfter).toBe(2);
  leads.forEach((body, at) => {
    const before = leads[at - 1];
    if (!before || at === isAfter) return;
    expect(read(body).startsWith(cachedOf(before)), `request ${at + 1} of the lead`).toBe(true);
  });
  // Two sub-agents of one definition share all but their tasks.
  const [one, two] = bodies.filter((body) => !leads.includes(body));
  const shared = ({ tools, system }: WireBody) => JSON.stringify([tools, system]);
  expect(shared(two!)).toBe(shared(one!));
  expect(JSON.stringify(one!.tools?.at(-1))).toMatch(POINT);
  expect(JSON.stringify(one!.system)).toMatch(POINT);
});
