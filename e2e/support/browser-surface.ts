/** The browser host with tabs of one browser, which stay when the host dies. */
import type { BrowserContext } from '@playwright/test';
import { type Host, startHost } from './host.ts';
import type { OpenSurface } from './surface.ts';

export function browserSurface(context: BrowserContext): OpenSurface {
  return async ({ complaints, ...options }) => {
    await complaints.watch(context);
    let host: Host = await startHost(options);
    try {
      const page = await context.newPage();
      await page.goto(host.url);
      return {
        page,
        desktop: null,
        another: async (path) => {
          const other = await context.newPage();
          await other.goto(`${host.origin}${path}`);
          return other;
        },
        crashAndRestart: async () => {
          await host.crash();
          host = await startHost({ ...options, port: host.port });
        },
        close: async () => {
          // The tabs first, so that no tab complains about a host that stops.
          await context.close();
          await host.stop();
        },
        notes: () => host.notes(),
      };
    } catch (error) {
      await host.stop();
      throw error;
    }
  };
}
