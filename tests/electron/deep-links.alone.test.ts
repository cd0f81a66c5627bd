/** `triad://conversation/ID` and `triad://workflow/ID` show what they name, whenever it comes; whatever else comes does nothing, and says so. */
import { beforeEach, expect, test, vi } from 'vitest';
import type { LedPlace } from '#contract/attention/led-place.ts';

const desk = await vi.hoisted(async () => (await import('./support/machine.ts')).machine());
vi.mock('electron', () => desk.electron);
const { DeepLinks, linkIn, placeOfLink } = await import('../../electron/desktop/deep-links.ts');
const { app } = desk.electron;
const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const LINK = `triad://conversation/${ID}`;
const CONVERSATION = { conversationId: ID, approvalId: null };
const WORKFLOW = { workflowId: ID };

beforeEach(() => {
  app.removeAllListeners();
  desk.clear();
});

function started() {
  const led: LedPlace[] = [];
  return { led, links: new DeepLinks((to) => void led.push(to)) };
}

test('a link names a conversation or a workflow and nothing else', () => {
  for (const one of [LINK, `${LINK}/`, `TRIAD://Conversation/${ID}`]) expect(placeOfLink(one)).toEqual(CONVERSATION);
  for (const one of [`triad://workflow/${ID}`, `triad://WORKFLOW/${ID}/`]) expect(placeOfLink(one)).toEqual(WORKFLOW);
  for (const other of [
    'triad://',
    'triad:conversation',
    'triad://conversation/',
    'triad://conversation/../settings',
    `triad://conversation/${ID}/approve`,
    `triad://conversation/${ID}?send=hello`,
    `triad://conversation/${ID}#see=1`,
    `triad://run/${ID}`,
    `triad://workflow/${ID}/replay`,
    `triad://workflow/${ID}?run=${ID}`,
    'triad://workflow/../settings',
    `triad://conversation/${ID}%0a`,
    `${LINK}\n${LINK}`,
    `https://conversation/${ID}`,
    ` ${LINK}`,
  ])
    expect(placeOfLink(other), other).toBeNull();
});

test('takes the last triad link of the start arguments and ignores the other arguments', () => {
  expect(linkIn(['electron', 'main.js', '--allow-file-access', 'triad://a', LINK])).toBe(LINK);
  expect(linkIn(['electron', 'main.js', `--x=${LINK}`, `/tmp/${LINK}`])).toBeUndefined();
});

test('a cold start opens the link from its arguments or from an open-url event before the app is ready', () => {
  const one = started();
  expect(one.links.start(['electron', 'main.js', LINK])).toBe(true);
  expect(one.led).toEqual([CONVERSATION]);
  const two = started();
  let prevented = false;
  app.emit('open-url', { preventDefault: () => (prevented = true) }, LINK);
  expect([two.led, prevented]).toEqual([[], true]);
  expect(two.links.start(['electron', 'main.js'])).toBe(true);
  expect(two.led).toEqual([CONVERSATION]);
  app.emit('open-url', { preventDefault: () => undefined }, `triad://workflow/${ID}`);
  expect(two.led).toEqual([CONVERSATION, WORKFLOW]);
  expect(started().links.start(['electron', 'main.js'])).toBe(false);
});

test('malformed links show one message at a time, shortened and with hidden characters marked, and open nothing', async () => {
  const { led, links } = started();
  expect(links.start(['electron', 'main.js', 'triad://conversation/\u202Eevil'])).toBe(false);
  expect(links.open('triad://other')).toBe(false);
  expect(desk.asked('message')).toHaveLength(1);
  await desk.act('press', 'Escape');
  await new Promise((resolve) => setImmediate(resolve));
  expect(links.open(`triad://${'x'.repeat(500)}`)).toBe(false);
  expect(led).toEqual([]);
  const [hidden, long] = desk.asked('message') as { message: string; detail: string }[];
  expect(hidden?.message).toBe('This link leads nowhere in Triad');
  expect(hidden?.detail).toContain('triad://conversation/⟦U+202E⟧evil\n');
  expect(long?.detail.length).toBeLessThan(300);
});

test('only an installed program registers for triad links', () => {
  started().links.start([]);
  expect(desk.asked('scheme')).toEqual([]);
  app.isPackaged = true;
  started().links.start([]);
  app.isPackaged = false;
  expect(desk.asked('scheme')).toEqual(['triad']);
});
