/** Bodies with messages of any size, in any pieces. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundBody, type Meter } from '#core/base/bounded-body.ts';
import { samples } from '../../support/samples.ts';

const LIMIT = 12;

function createMeter(): Meter {
  let size = 0;
  return {
    add: (bytes) => ((size += bytes.length) > LIMIT ? 'too large' : null),
    reset: () => void (size = 0),
  };
}

/** Returns the text of the bounded body; null if it failed. */
async function readBounded(pieces: readonly string[], contentType: string): Promise<string | null> {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece));
      controller.close();
    },
  });
  const response = new Response(source, { headers: { 'content-type': contentType } });
  return boundBody(response, createMeter(), (reason) => new Error(reason))
    .text()
    .catch((error: unknown) => {
      expect(error).toEqual(new Error('too large'));
      return null;
    });
}

/** Size of the largest event. The line end of a blank line counts to the next event. */
function largestEvent(text: string): number {
  const sizes = [0];
  for (const [whole, line, end] of text.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)) {
    if (line === '' && end !== '') sizes.push(0);
    sizes.push((sizes.pop() ?? 0) + whole.length);
  }
  return Math.max(...sizes);
}

const line = fc.tuple(fc.nat({ max: 8 }), fc.constantFrom('\n', '\r\n', '\r'));

test('fails only for an event above the size limit, for any line ends and chunk sizes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (lines, size) => {
      const text = lines.map(([length, end]) => `${'x'.repeat(length)}${end}`).join('');
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const read = await readBounded(pieces, 'text/event-stream; charset=utf-8');
      expect(read).toBe(largestEvent(text) > LIMIT ? null : text);
    }),
    samples(200),
  );
});

test.for(['\n', '\r\n', '\r'])('passes any number of short events with the line end %j', async (end) => {
  const text = `data: x${end}${end}`.repeat(100);
  expect(await readBounded([text], 'text/event-stream')).toBe(text);
  expect(await readBounded([...text], 'text/event-stream')).toBe(text);
});

test('adds the lines of one event', async () => {
  expect(await readBounded(['data: 1\n', 'data: 2\n\n'], 'text/event-stream')).toBeNull();
});

test('measures a body that is not an event stream as a whole', async () => {
  expect(await readBounded(['12345678\n\n', '12\n'], 'application/json')).toBeNull();
  expect(await readBounded(['123456\n\n', '12\n'], 'application/json')).toBe('123456\n\n12\n');
});
