/** The methods of providers and of the web search. */
import type { Output } from '#contract/rpc.ts';
import type { Handlers } from './handlers.ts';
import { detectAt, detectServers } from '#core/model/providers/detect.ts';
import type { Providers } from '#core/model/providers/providers.ts';
import type { SearchEndpoint } from '#core/tools/web/search-endpoint.ts';

export interface ProviderMethodPorts {
  providers: Providers;
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
  | 'search.state'
  | 'search.set-key';

export function providerMethods({ providers, webSearch, appState }: ProviderMethodPorts): Pick<Handlers, Mine> {
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
  };
}
