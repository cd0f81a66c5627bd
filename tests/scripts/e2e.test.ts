/** What the end-to-end tests run in, by what the machine has, and that a place in which nothing ran is named with the reason. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chromiumPath } from '../../e2e/support/chromium.ts';
import { findMissingDesktop } from '../../e2e/support/missing-desktop.ts';
import { ROOT } from '../support/program.ts';
import { fullTest } from '../support/samples.ts';
import { folderWith } from '../support/workspace.ts';

/** Lists all specs everywhere; the places, and what was said of others. */
function listed(env: NodeJS.ProcessEnv) {
  const args = [join(ROOT, 'scripts/e2e.ts'), '--config', 'playwright.full.config.ts', '--list'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' });
  return { places: new Set([...stdout.matchAll(/^ +\[(.+?)\]/gm)].map(([, name]) => name)), stderr };
}

test('names why real Electron does not run', () => {
  const electron = { ok: true, path: '/electron' } as const;
  const reason = 'it was not fetched yet';
  expect(findMissingDesktop({ ok: false, reason, missing: true }, 'linux', {})).toBe(
    `no Electron runtime here: ${reason}`,
  );
  expect(findMissingDesktop(electron, 'linux', {})).toBe('an Electron runtime, but no display');
  for (const [platform, env] of [
    ['linux', { DISPLAY: ':0' }],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }],
    ['darwin', {}],
  ] as const)
    expect(findMissingDesktop(electron, platform, env)).toBeNull();
});

fullTest(
  'tests/scripts/e2e.test.ts › names why real Electron does not run',
  process.platform === 'linux' && chromiumPath() !== undefined,
)('lists all environments, and reports why real Electron is skipped', async () => {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env;
  const runtime = await folderWith({ electron: '' });
  const none = listed({ ...env, ELECTRON_OVERRIDE_DIST_PATH: join(runtime, 'none') });
  expect(none.places).toEqual(new Set(['browser', 'stand-in']));
  expect(none.stderr).toMatch(/^Did not run in electron: no Electron runtime here: ELECTRON_OVERRIDE_DIST_PATH says /m);
  const dark = listed({ ...env, ELECTRON_OVERRIDE_DIST_PATH: runtime });
  expect(dark.places).toEqual(new Set(['browser', 'stand-in']));
  expect(dark.stderr).toContain('Did not run in electron: an Electron runtime, but no display.');
  const all = listed({ ...env, ELECTRON_OVERRIDE_DIST_PATH: runtime, DISPLAY: ':0' });
  expect(all.places).toEqual(new Set(['browser', 'stand-in', 'electron']));
  expect(all.stderr).not.toContain('Did not run');
});
