/** The search that the person has configured: where it is, its key, and what it finds. */
import type { SearchState } from '#contract/app-state.ts';
import { TriadError } from '../../base/errors.ts';
import { keptKey, SEARCH_KEY } from '../../model/kept-key.ts';
import { addressFor, hostOf } from '../../settings/search-url.ts';
import type { Secrets } from '../../settings/secrets.ts';
import type { Settings } from '../../settings/settings.ts';
import { type FetchText, fetchText } from './fetch-text.ts';
import { type Found, readAnswer } from './search-answer.ts';

const MAX_BYTES = 1_000_000;
const TIMEOUT_MS = 20_000;

interface Ports {
  settings: Pick<Settings, 'web'>;
  secrets: Secrets;
  fetchText?: FetchText;
}

export class SearchEndpoint {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Host and port; null where none is configured. */
  get host(): string | null {
    const { url } = this.#ports.settings.web.search;
    return url === null ? null : hostOf(url);
  }

  async state(): Promise<SearchState> {
    const kept = await keptKey(this.#ports.secrets, SEARCH_KEY);
    return { host: this.host, keyOf: kept?.address ?? null, place: this.#ports.secrets.place.backend };
  }

  /**
   * Keeps the key for the search that is configured now; an empty text removes it. Throws `bad_input` for a key that no
   * header can carry, and where no search is configured.
   */
  async setKey(text: string): Promise<void> {
    const apiKey = text.trim();
    if (!/^[\x21-\x7e]*$/.test(apiKey))
      throw new TriadError('bad_input', 'The key contains spaces or characters that a key cannot have: copy it again');
    const address = this.host;
    if (apiKey !== '' && address === null)
      throw new TriadError('bad_input', 'No search is set up that the key could belong to: set web.search.url first');
    await this.#ports.secrets.set(SEARCH_KEY, apiKey === '' ? null : JSON.stringify({ apiKey, address }));
  }

  /** Best first. Throws `not_found` where none is configured, `no_key` and `provider`. */
  async search(query: string, signal: AbortSignal): Promise<Found[]> {
    const { url, results } = this.#ports.settings.web.search;
    const host = this.host;
    if (url === null || host === null) throw new TriadError('not_found', `Nothing can search the web: ${SET_UP}`);
    const headers = { accept: 'application/json', ...(await this.#key(host)) };
    const fetching = this.#ports.fetchText ?? fetchText;
    const options = { headers, signal, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS };
    const { status, text } = await fetching(addressFor(url, query), options);
    if (status !== 200) throw new TriadError('provider', `${host} answered with status ${status}: ${adviceOn(status)}`);
    const found = readAnswer(text, results);
    if (found) return found;
    const forms = 'a list "results" (as of SearXNG with format=json) or "web.results" (as of Brave)';
    throw new TriadError(
      'provider',
      `${host} did not answer as a search does: web.search.url must give JSON with ${forms}`,
    );
  }

  /** A key goes to the host for which it was kept, and nowhere else. */
  async #key(host: string): Promise<Record<string, string>> {
    const { key_header: header } = this.#ports.settings.web.search;
    if (header === null) return {};
    const kept = await keptKey(this.#ports.secrets, SEARCH_KEY);
    if (kept?.address === host) return { [header]: kept.apiKey };
    const why = kept ? `the kept key belongs to ${kept.address}` : 'no key is kept';
    throw new TriadError(
      'no_key',
      `${host} wants a key in ${header}, and ${why}: the person can enter it with "triad config key web_search"`,
    );
  }
}

/** What a person does so that agents can search the web. */
export const SET_UP =
  'set web.search.url to a search that answers in JSON, or use a provider that searches itself (providers.anthropic.web_search)';

function adviceOn(status: number): string {
  if (status === 401 || status === 403)
    return 'check web.search.key_header and the kept key ("triad config key web_search")';
  if (status === 429) return 'it was asked too often, wait before the next search';
  return 'check web.search.url';
}
