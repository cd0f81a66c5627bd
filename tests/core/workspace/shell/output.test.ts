/** What is kept of an output, however it comes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_OUTPUT_LINE_BYTES } from '#contract/limits.ts';
import { OutputKeeper } from '#core/workspace/shell/output.ts';
import { samples } from '../../../support/samples.ts';
import { folderWith } from '../../../support/workspace.ts';

test('keeps head, tail and byte counts of the whole output, whatever the chunks and limits', async () => {
  const folder = await folderWith();
  let files = 0;
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\n'), maxLength: 60 });
  const piece = fc.integer({ min: 1, max: 9 });
  await fc.assert(
    fc.asyncProperty(text, piece, fc.nat(80), fc.nat(80), async (all, size, fileBytes, memory) => {
      const bytes = Buffer.from(all);
      const path = join(folder, String((files += 1)));
      const keeper = await OutputKeeper.open(path, fileBytes, memory);
      let heard = '';
      for (let at = 0; at < bytes.length; at += size) heard += await keeper.add(bytes.subarray(at, at + size));
      const { rest, output } = await keeper.end();
      expect(heard + rest).toBe(all);
      expect(all.startsWith(output.head) && all.endsWith(output.tail)).toBe(true);
      const kept = Buffer.byteLength(output.head) + Buffer.byteLength(output.tail);
      expect(output).toMatchObject({ bytes: bytes.length, cut: bytes.length - kept });
      // Whole, or all of the room but for broken characters at both ends of the cut.
      expect(kept).toBeGreaterThanOrEqual(Math.min(bytes.length, memory - 6));
      expect(output.unkept).toBe(Math.max(0, bytes.length - fileBytes));
      expect(await readFile(path)).toEqual(bytes.subarray(0, fileBytes));
    }),
    samples(100),
  );
});

const LIMIT = MAX_OUTPUT_LINE_BYTES;
const noteOf = (length: number): string =>
  ` [The rest of this line is left out: it is longer than 1 MiB, ${length} bytes]`;

test.for([
  { name: 'keeps a line of the maximum length', text: `a\n${'x'.repeat(LIMIT)}\nb\n` },
  { name: 'keeps a progress bar without newlines', text: `${'x'.repeat(LIMIT / 2)}\r`.repeat(5) },
  {
    name: 'cuts a longer line and reports its length',
    text: `a\n${'x'.repeat(3 * LIMIT + 7)}\nb\n`,
    cut: `a\n${'x'.repeat(LIMIT)}${noteOf(3 * LIMIT + 7)}\nb\n`,
  },
  {
    name: 'cuts a line that never ends',
    text: `${'x'.repeat(LIMIT + 1)}`,
    cut: `${'x'.repeat(LIMIT)}${noteOf(LIMIT + 1)}`,
  },
])('$name', async ({ text, cut = text }) => {
  const folder = await folderWith();
  const bytes = Buffer.from(text);
  for (const size of [65_536, 1_000_003, bytes.length]) {
    const path = join(folder, String(size));
    const keeper = await OutputKeeper.open(path, 100 * LIMIT, 1000);
    let streamed = '';
    for (let at = 0; at < bytes.length; at += size) streamed += await keeper.add(bytes.subarray(at, at + size));
    const { rest, output } = await keeper.end();
    expect(streamed + rest === cut).toBe(true);
    expect((await readFile(path, 'utf8')) === cut).toBe(true);
    expect(output).toMatchObject({ bytes: cut.length, unkept: 0, tail: cut.slice(-500) });
  }
});
