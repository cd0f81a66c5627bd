/** The person is here while they use any window of the app, and gone once another program is in front. */
import { expect, test } from 'vitest';
import { Presence, type Windows } from '#lib/app/presence.ts';

/** Two windows of one browser, and a clock that the test moves. */
function twoWindows() {
  const clock = { now: 1_000_000 };
  const sent: (number | null)[] = [];
  const ends: Windows[] = [];
  const end = (): Windows => {
    const own: Windows = {
      onmessage: null,
      postMessage: (seen) => {
        sent.push(seen);
        for (const other of ends) if (other !== own) other.onmessage?.({ data: seen } as MessageEvent);
      },
      close: () => undefined,
    };
    ends.push(own);
    return own;
  };
  const [first, second] = [new Presence(end(), () => clock.now), new Presence(end(), () => clock.now)];
  return { clock, sent, first, second };
}

test('the user is not present before the first input', () => {
  const { first } = twoWindows();
  expect(first.isHere(60)).toBe(false);
});

test('input in one window counts in all windows, for the given seconds', () => {
  const { clock, first, second } = twoWindows();
  first.input();
  clock.now += 59_999;
  expect([first.isHere(60), second.isHere(60), second.isHere(30)]).toEqual([true, true, false]);
  clock.now += 1;
  expect([first.isHere(60), second.isHere(60)]).toEqual([false, false]);
});

test('turning to another program ends presence in all windows, until the next input', () => {
  const { first, second } = twoWindows();
  first.input();
  first.left();
  expect([first.isHere(60), second.isHere(60)]).toEqual([false, false]);
  second.input();
  expect([first.isHere(60), second.isHere(60)]).toEqual([true, true]);
});

test('sends presence to other windows once a second, not with every key', () => {
  const { clock, sent, first } = twoWindows();
  for (let press = 0; press < 30; press += 1) {
    first.input();
    clock.now += 100;
  }
  expect(sent).toHaveLength(3);
});
