/** What is kept of an output, however it comes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OutputKeeper } from '#core/workspace/shell/output.ts';
import { samples } from '../../../support/samples.ts';
import { folderWith } from '../../../support/workspace.ts';

test('head, tail and counts are those of the whole, whatever the pieces and limits', async () => {
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
