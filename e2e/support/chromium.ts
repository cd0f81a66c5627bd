/** The browser of the tests: the machine's own, else the one that `npx playwright install chromium` brings. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** `CHROMIUM_PATH`, or a browser in the folders of `PATH`; undefined: Playwright's own. */
export function chromiumPath(): string | undefined {
  const given = process.env['CHROMIUM_PATH'];
  if (given && existsSync(given)) return given;
  return NAMES.map(commandPath).find((path) => path !== undefined);
}

/** The file of a command in the folders of `PATH`. */
export function commandPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Chromium refuses its sandbox to root. */
export function chromiumArgs(): string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}
