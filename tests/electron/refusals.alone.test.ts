/** What is refused is told line by line, in masses as a number; nothing in it is secret, hidden or another line. */
import { beforeEach, afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { knowSecrets } from '#core/base/redact.ts';
import { Refusals } from '../../electron/desktop/refusals.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function told() {
  const lines: string[] = [];
  return { lines, refusals: new Refusals((line) => lines.push(line)) };
}

test('logs at most 20 lines and one count for each kind of refusal in a minute', () => {
  const { lines, refusals } = told();
  for (let n = 0; n < 5000; n += 1) refusals.note('navigation', `to https://example.com/${n}`);
  refusals.note('window', 'at about:blank');
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toBe('refused a window at about:blank');
  vi.advanceTimersByTime(60_000);
  expect(lines.at(-1)).toBe('refused a navigation 4980 more times');
  refusals.note('navigation', 'to https://example.com/again');
  expect(lines.at(-1)).toBe('refused a navigation to https://example.com/again');
  expect(refusals.list().map(({ what, count, newest }) => [what, count, newest])).toEqual([
    ['navigation', 5001, 'to https://example.com/again'],
    ['window', 1, 'at about:blank'],
  ]);
});

test('each refusal is one line, shortened, with hidden characters marked and secrets redacted', () => {
  knowSecrets('test', ['sesame-open-now']);
  onTestFinished(() => knowSecrets('test', []));
  const { lines, refusals } = told();
  refusals.note('path', 'GET app://bundle/a\r\nrefused nothing\u202E?key=sesame-open-now');
  refusals.note('path', `GET app://bundle/${'x'.repeat(100_000)}`);
  expect(lines[0]).toBe('refused a path GET app://bundle/a refused nothing⟦U+202E⟧?key=[redacted: known key]');
  expect(lines[1]?.length).toBeLessThan(400);
  expect(lines[1]).toMatch(/x…$/);
});
