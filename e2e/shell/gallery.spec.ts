/** Checks the shared components of the gallery with axe, in every state and theme. */
import { execFile } from 'node:child_process';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { expectAccessibleInBoth, SAME_PAGE } from '../support/accessible.ts';
import { Complaints } from '../support/complaints.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Timeout in milliseconds. The gallery may have to be built first, on a busy machine. */
const WITH_BUILD_MS = 300_000;

test(
  'every shared component can be read, with normal and with high contrast, in light and in dark',
  fullSpec(
    [
      'tests/lib/ui/colours.test.ts › text has enough contrast on each of its backgrounds',
      'tests/lib/ui/colours.test.ts › high contrast redefines each colour, and colours are defined only in colours.css',
      'tests/lib/ui/gallery.test.ts › shows every shared component, except those listed with a reason',
    ],
    { tag: '@browser', annotation: SAME_PAGE },
  ),
  async ({ browser }) => {
    test.setTimeout(WITH_BUILD_MS);
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/run.cjs'), 'gallery']);
    for (const contrast of ['normal', 'more']) {
      const context = await browser.newContext();
      const complaints = new Complaints();
      await Complaints.watch(context, () => complaints);
      const page = await context.newPage();
      await page.addInitScript((name) => localStorage.setItem('triad-contrast', name), contrast);
      await page.route('http://localhost/**', async (route) => {
        const { pathname } = new URL(route.request().url());
        await route.fulfill({ path: join(ROOT, 'dist/gallery', extname(pathname) === '' ? 'index.html' : pathname) });
      });
      await page.goto('http://localhost/');
      await expect(page.locator(`[data-gallery=${contrast}]`)).toBeVisible();
      await expect(page.locator('[class^=token-]').first()).toBeVisible();
      await expectAccessibleInBoth(page, `gallery, contrast ${contrast}`);
      expect(complaints.unexpected()).toEqual([]);
      await context.close();
    }
  },
);
