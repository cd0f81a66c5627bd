/** The browser of the tests: the machine's own, else the one that `npx playwright install chromium` brings. */
import { existsSync } from 'node:fs';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Undefined: Playwright's own. */
export function chromiumPath(): string | undefined {
  return [process.env['CHROMIUM_PATH'], ...CANDIDATES].find((path) => path !== undefined && existsSync(path));
}

/** Chromium refuses its sandbox to root. */
export function chromiumArgs(): string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}
