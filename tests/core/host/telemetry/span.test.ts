/** Content in spans: redacted as a text before it becomes JSON and is cut. */
import { expect, onTestFinished, test } from 'vitest';
import { linearPattern } from '#core/base/linear-pattern.ts';
import { knowPatterns } from '#core/base/redact.ts';
import { contentOf, jsonOf, messageOf } from '#core/host/telemetry/span.ts';

test('redacts matches of a pattern of the person at the start of a line and where content is cut', () => {
  onTestFinished(() => knowPatterns([]));
  knowPatterns([linearPattern('^CUST-[0-9]{6}')]);
  expect(jsonOf(true, { text: 'It is\nCUST-123456' })).toBe('{"text":"It is\\n[redacted]"}');
  expect(messageOf(true, 'user', 'It is\nCUST-123456')).toContain('It is\\n[redacted]');
  const cut = contentOf(true, `${'x'.repeat(8184)}\nCUST-123456, and more`);
  expect(cut).toBe(`${'x'.repeat(8184)}\n[redact…`);
  expect([contentOf(false, 'x'), jsonOf(false, 'x')]).toEqual([undefined, undefined]);
});
