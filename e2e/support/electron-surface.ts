/** The built desktop in a real Electron, where this machine has one. */
import { _electron, type ElectronApplication } from '@playwright/test';
import { findDesktop } from '#hosts/cli/commands/desktop/desktop-runtime.ts';
import { chromiumArgs } from './chromium.ts';
import { Complaints } from './complaints.ts';
import { environmentWith, ROOT } from './process.ts';
import type { OpenSurface, SurfaceOptions } from './surface.ts';

export const openElectron: OpenSurface = async (options) => {
  let app = await start(options);
  let page = await app.firstWindow();
  return {
    get page() {
      return page;
    },
    // What the stand-in tells of the machine, a real one does not.
    desktop: null,
    another: async (path) => {
      const opened = app.waitForEvent('window');
      await app.evaluate(({ Menu }) => {
        const items = Menu.getApplicationMenu()?.items ?? [];
        const all = items.flatMap(({ submenu }) => submenu?.items ?? []);
        all.find(({ label }) => label === 'New Window')?.click();
      });
      const other = await opened;
      await other.goto(new URL(path, page.url()).href);
      return other;
    },
    crashAndRestart: async () => {
      const gone = app.waitForEvent('close');
      app.process().kill('SIGKILL');
      await gone;
      app = await start(options);
      page = await app.firstWindow();
    },
    close: () => app.close(),
    notes: () => '',
  };
};

async function start({ home, workspace, env, complaints }: SurfaceOptions): Promise<ElectronApplication> {
  const runtime = await findDesktop(process.env, process.platform);
  if (!runtime.ok) throw new Error(runtime.reason);
  const variables = Object.entries(environmentWith({ TRIAD_HOME: home, INIT_CWD: workspace, ...env }));
  const app = await _electron.launch({
    executablePath: runtime.path,
    args: [...chromiumArgs(), `${ROOT}dist/electron/main.js`],
    cwd: workspace,
    env: Object.fromEntries(variables.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  });
  await Complaints.watch(app.context(), () => complaints);
  return app;
}
