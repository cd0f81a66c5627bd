/** The browser host with tabs of one context, which stay when the host dies. */
import { SIGN_IN_TOKEN } from '../../src/lib/app/client/sign-in-token.ts';
import { type Host, type HostOptions, startHost } from './host.ts';
import type { SharedHosts } from './shared-hosts.ts';
import type { OpenSurface } from './surface.ts';
import type { Tabs } from './tabs.ts';

export function browserSurface(tabs: Tabs, hosts: SharedHosts): OpenSurface {
  return async ({ complaints, ownProcess, ownContext, home, workspace, env }) => {
    const options: HostOptions = { home, workspace, env };
    let host: Host = await (ownProcess ? startHost(options) : hosts.open(options));
    try {
      const tab = await tabs.take(complaints, ownContext);
      const { context, page } = tab;
      await page.goto(host.url);
      // A page that is left before that loses the token.
      await page.waitForURL((url) => url.origin === host.origin && url.hash === '');
      await page.waitForFunction((name) => sessionStorage.getItem(name) === null, SIGN_IN_TOKEN);
      return {
        page,
        desktop: null,
        another: async (path) => {
          const other = await context.newPage();
          await other.goto(`${host.origin}${path}`);
          return other;
        },
        crashAndRestart: async () => {
          // A tab that is open notices, and tries again; what it was still loading fails.
          complaints.expect(/WebSocket|net::ERR_(CONNECTION|EMPTY|INCOMPLETE)_/);
          await host.crash();
          host = await startHost({ ...options, port: host.port });
        },
        close: async () => {
          // The tabs first, so that no tab complains about a host that stops.
          await tab.leave();
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
