/** The methods of the provider and of the settings. */
import type { Output } from '#contract/rpc.ts';
import type { Handlers } from './handlers.ts';
import type { LiveSettings } from '../../settings/live-settings.ts';
import { resolveModel } from '../../model/model-names.ts';
import { detectServers } from '../../model/provider-detect.ts';
import type { Provider } from '../../model/provider.ts';
import type { SearchEndpoint } from '../../tools/web/search-endpoint.ts';
import { settingRows } from '../../settings/settings.ts';

export interface ProviderMethodPorts {
  provider: Provider;
  settings: LiveSettings;
  webSearch: SearchEndpoint;
  appState: () => Promise<Output<'app.state'>>;
}

type Mine =
  | 'provider.set'
  | 'provider.test'
  | 'provider.models'
  | 'provider.detect'
  | 'settings.list'
  | 'settings.set'
  | 'search.state'
  | 'search.set-key';

export function providerMethods({
  provider,
  settings,
  webSearch,
  appState,
}: ProviderMethodPorts): Pick<Handlers, Mine> {
  return {
    'provider.set': async (input) => {
      await provider.set(input);
      return appState();
    },
    'provider.test': (input) => provider.test(input),
    'provider.models': () => provider.listModels(),
    // Needs no signal: each probe ends within a second.
    'provider.detect': () => detectServers(new AbortController().signal),
    'search.state': () => webSearch.state(),
    'search.set-key': async ({ apiKey }) => {
      await webSearch.setKey(apiKey);
      return webSearch.state();
    },
    'settings.list': () => settingRows(settings),
    'settings.set': async ({ path, value }) => {
      // Rejects an unknown model now rather than with the next message.
      if (path === 'models.default' && typeof value === 'string') resolveModel(value, settings.models.aliases);
      await settings.set(path, value);
      return settingRows(settings);
    },
  };
}
