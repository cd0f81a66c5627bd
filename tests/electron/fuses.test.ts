/** Fuses are what the program file says of itself, wherever in it the wire stands. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FUSES } from '#contract/hosts/security.ts';
import { fusesIn, wireFile } from '../../electron/desktop/fuses.ts';
import { folderWith } from '../support/workspace.ts';

const MARK = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

async function programWith(before: number, wire: Buffer | string, after = 5000): Promise<string> {
  const electron = Buffer.concat([Buffer.alloc(before, 'x'), Buffer.from(wire), Buffer.alloc(after, 'y')]);
  return join(await folderWith({ electron }), 'electron');
}
const wire = (version: number, states: string) =>
  Buffer.concat([Buffer.from(MARK), Buffer.from([version, states.length]), Buffer.from(states)]);

test.for([0, 10, 1024 * 1024 - 20, 1024 * 1024 - 33, 3 * 1024 * 1024 - 5])(
  'finds the fuses behind %i bytes of the program file',
  async (before) => {
    const found = await fusesIn(await programWith(before, wire(1, '01001100')));
    expect(found?.map(({ on }) => Number(on)).join('')).toBe('01001100');
    expect(found?.map(({ name }) => name)).toEqual(FUSES.slice(0, 8));
  },
);

test('omits a removed fuse, and finds none in a wire that is cut off or of another version', async () => {
  const found = await fusesIn(await programWith(5, wire(1, '0r1'), 0));
  expect(found).toEqual([
    { name: 'RunAsNode', on: false },
    { name: 'EnableNodeOptionsEnvironmentVariable', on: true },
  ]);
  expect(await fusesIn(await programWith(5, wire(2, '0101')))).toBeNull();
  expect(await fusesIn(await programWith(5, wire(1, '0101').subarray(0, -2), 0)), 'cut off').toBeNull();
  expect(await fusesIn(await programWith(5, 'no mark'))).toBeNull();
  expect(await fusesIn('/nowhere/at/all')).toBeNull();
});

test('on macOS the fuses are in the Electron framework file', () => {
  expect(wireFile('/Applications/Triad.app/Contents/MacOS/Triad', 'darwin')).toBe(
    '/Applications/Triad.app/Contents/Frameworks/Electron Framework.framework/Electron Framework',
  );
  expect(wireFile('/opt/triad/triad', 'linux')).toBe('/opt/triad/triad');
});
