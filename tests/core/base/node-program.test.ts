/** Which Node runs a program of the bundle: this one, or in a packed desktop the one that lies beside its archive. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Host, nodeProgram } from '#core/base/node-program.ts';
import { folderWith } from '../../support/workspace.ts';

const node: Host = { execPath: '/usr/bin/node', versions: {}, platform: 'linux' };

test('outside of the desktop app uses the Node that runs the process', () => {
  const program = '/app/dist/electron/check-copy.js';
  expect(nodeProgram(program, node)).toEqual({ node: '/usr/bin/node', program });
});

test.for(['linux', 'win32'] as const)(
  'in a packaged desktop app on %s uses the bundled Node, never the desktop program',
  async (platform) => {
    const name = platform === 'win32' ? 'node.exe' : 'node';
    const unpacked = 'app.asar.unpacked/cli/dist/electron/check-copy.js';
    const resourcesPath = await folderWith({ [`bin/${name}`]: '', [unpacked]: '' });
    const desktop = { execPath: '/opt/Triad/triad-desktop', versions: { electron: '45.4.1' }, platform, resourcesPath };
    const inArchive = join(resourcesPath, 'app.asar/dist/electron/check-copy.js');
    expect(nodeProgram(inArchive, desktop)).toEqual({
      node: join(resourcesPath, 'bin', name),
      program: join(resourcesPath, unpacked),
    });
    expect(nodeProgram(join(resourcesPath, 'app.asar/dist/electron/other.js'), desktop)).toBeNull();
    expect(nodeProgram('/checkout/dist/electron/check-copy.js', desktop)).toBeNull();
    expect(nodeProgram(inArchive, { ...desktop, resourcesPath: join(resourcesPath, 'nowhere') })).toBeNull();
  },
);
