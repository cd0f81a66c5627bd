/** The methods of the provider and of the settings. */
import type { Output } from '#contract/rpc.ts';
import type { Handlers } from './handlers.ts';
import type { LiveSettings } from '../../settings/live-settings.ts';
import { resolveModel } from '../../model/model-names.ts';
import { detectAt, detectServers } from '../../model/providers/detect.ts';
import { placeOf } from '../../model/providers/place.ts';
import type { Providers } from '../../model/providers/providers.ts';
import type { SearchEndpoint } from '../../tools/web/search-endpoint.ts';
import { normalizePath } from '../../settings/dotted-path.ts';
import { settingRows } from '../../settings/settings.ts';

export interface ProviderMethodPorts {
  providers: Providers;
  settings: LiveSettings;
  webSearch: SearchEndpoint;
  appState: () => Promise<Output<'app.state'>>;
}

type Mine =
  | 'provider.set'
  | 'provider.add'
  | 'provider.remove'
  | 'provider.test'
  | 'provider.models'
  | 'provider.detect'
  | 'settings.list'
  | 'settings.set'
  | 'search.state'
  | 'search.set-key';

export function providerMethods({
  providers,
  settings,
  webSearch,
  appState,
}: ProviderMethodPorts): Pick<Handlers, Mine> {
  return {
    'provider.set': async (input) => {
      await providers.set(input);
      return appState();
    },
    'provider.add': async (input) => {
      await providers.add(input);
      return appState();
    },
    'provider.remove': async ({ name }) => {
      await providers.remove(name);
      return appState();
    },
    'provider.test': (input) => providers.test(input),
    'provider.models': ({ name }) => providers.listModels(name),
    // Needs no signal: each probe ends within seconds.
    'provider.detect': async ({ baseUrl }) => {
      const { signal } = new AbortController();
      if (baseUrl === undefined) return detectServers(signal);
      const found = await detectAt(baseUrl, signal);
      return found === null ? [] : [found];
    },
    'search.state': () => webSearch.state(),
    'search.set-key': async ({ apiKey }) => {
      await webSearch.setKey(apiKey);
      return webSearch.state();
    },
    'settings.list': () => settingRows(settings),
    'settings.set': async ({ path: written, value }) => {
      const path = normalizePath(written);
      // Rejects an unknown model now rather than with the next message.
      if (path === 'models.default' && typeof value === 'string') resolveModel(value, settings.models.aliases);
      const [, name, key] = /^providers\.([^.]+)\.(.+)$/.exec(path) ?? [];
      // No provider begins with one key: it needs its type and its address at once.
      if (name !== undefined) placeOf(name, settings, { baseUrl: undefined });
      // An address is changed with an eye on the key that would go there.
      if (name !== undefined && key === 'base_url' && (value === null || typeof value === 'string'))
        await providers.set({ name, baseUrl: value ?? '' });
      else await settings.set(path, value);
      return settingRows(settings);
    },
  };
}
