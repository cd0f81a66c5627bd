/** The browser of the tests: the machine's own, else the one that `npx playwright install chromium` brings. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The same engine without what only a window needs: a fifth less work. */
const HEADLESS = 'chromium-headless-shell';
const WHOLE = ['chromium', 'chromium-browser', 'google-chrome'];

/** `CHROMIUM_PATH`, or a browser in the folders of `PATH`, a headless one first; undefined: Playwright's own. */
export function chromiumPath(): string | undefined {
  return firstOf([HEADLESS, ...WHOLE]);
}

/** Like `chromiumPath`, but none of `PATH` that is headless only: for figures that are those of a person's browser. */
export function wholeChromiumPath(): string | undefined {
  return firstOf(WHOLE);
}

function firstOf(names: readonly string[]): string | undefined {
  const given = process.env['CHROMIUM_PATH'];
  if (given && existsSync(given)) return given;
  return names.map(commandPath).find((path) => path !== undefined);
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
