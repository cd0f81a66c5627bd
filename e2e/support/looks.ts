/** The ways in which each screen is looked at: every theme, French, and every size at least once. */
import { join } from 'node:path';
import type { Page } from '@playwright/test';

interface Look {
  name: string;
  width: number;
  height: number;
  /** Pixels of the device for one of CSS; 2 is 200 % zoom. */
  scale?: number;
  dark?: boolean;
  french?: boolean;
  contrast?: 'more';
  forced?: 'active';
}

const LOOKS: readonly Look[] = [
  { name: '1280-light', width: 1280, height: 800 },
  { name: '1440-dark', width: 1440, height: 900, dark: true },
  { name: '800-french', width: 800, height: 600, french: true },
  { name: 'zoom-dark', width: 640, height: 400, scale: 2, dark: true },
  { name: '1280-contrast', width: 1280, height: 800, contrast: 'more' },
  { name: '1280-forced', width: 1280, height: 800, dark: true, forced: 'active' },
];
const USUAL = { width: 1280, height: 800 };

/** As a system that speaks this language would say it to the page. */
export async function speak(page: Page, language: 'en' | 'fr'): Promise<void> {
  await page.evaluate((tag) => {
    Object.defineProperty(navigator, 'languages', { configurable: true, get: () => [tag] });
    dispatchEvent(new Event('languagechange'));
  }, language);
  await page.waitForFunction((tag) => document.documentElement.lang === tag, language);
}

async function show(page: Page, { width, height, dark = false, contrast, forced }: Look): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    contrast: contrast ?? 'no-preference',
    forcedColors: forced ?? 'none',
  });
  await page.waitForFunction(
    (isDark) =>
      document.documentElement.classList.contains('dark') === isDark &&
      document.getAnimations().every(({ playState }) => playState !== 'running'),
    dark,
  );
}

/** One picture of the screen in each look; afterwards it is as it was. */
export async function shootAll(page: Page, folder: string, screen: string): Promise<void> {
  const { PICTURES = '' } = process.env;
  for (const look of LOOKS.filter(({ name }) => name.includes(PICTURES))) {
    if (look.french === true) await speak(page, 'fr');
    await show(page, look);
    const path = join(folder, `${screen}-${look.name}.png`);
    if (look.scale === undefined) await page.screenshot({ path });
    else {
      const session = await page.context().newCDPSession(page);
      const { width, height, scale } = look;
      const metrics = { width, height, deviceScaleFactor: scale, mobile: false };
      await session.send('Emulation.setDeviceMetricsOverride', metrics);
      await page.screenshot({ path });
      await session.send('Emulation.clearDeviceMetricsOverride');
      await session.detach();
    }
    if (look.french === true) await speak(page, 'en');
  }
  await show(page, { name: 'usual', ...USUAL });
}
