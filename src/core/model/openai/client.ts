/** The vendor's SDK with one endpoint: it repeats nothing, follows no redirect, and says nothing on stdout. */
import { Console } from 'node:console';
import type OpenAI from 'openai';
import type * as OpenAiSdk from 'openai';
import { fetchFor } from '../../base/outgoing.ts';
import { type Endpoint, endpointOf, type EndpointOptions } from '../endpoint.ts';
import { withResponseBounds } from '../error-bodies.ts';
import { type RequestTarget, urlAdvice } from '../request-failure.ts';

export type Sdk = typeof OpenAiSdk;

export interface Session {
  sdk: Sdk;
  client: OpenAI;
  place: Omit<RequestTarget, 'model' | 'api'>;
  /** The vendor's own endpoint. */
  isOwn: boolean;
  hide: Endpoint['hide'];
}

const OWN_BASE_URL = 'https://api.openai.com/v1';
/** The SDK wants a key also where the endpoint wants none; it is not sent then. */
const NO_KEY = 'none';

/** Loads the SDK ahead of the first request; worth doing while other things are opened. */
export async function preloadOpenAi(): Promise<void> {
  await import('openai');
}

export async function connect(options: EndpointOptions): Promise<Session> {
  const { url, query, host, origin, key, hide } = endpointOf(options, OWN_BASE_URL);
  const sdk = await import('openai');
  const client = new sdk.OpenAI({
    apiKey: key ?? NO_KEY,
    baseURL: url,
    defaultQuery: query,
    // Else the SDK takes these from the environment, and sends them to any endpoint.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    fetch: withResponseBounds(fetchWith(key !== null)),
    logLevel: 'warn',
    // Errors reach the caller as exceptions; stdout belongs to data.
    logger: Object.assign(new Console(process.stderr), { error: () => undefined }),
  });
  const isOwn = origin === new URL(OWN_BASE_URL).origin;
  return { sdk, client, place: { host, hasKey: key !== null, ...urlAdvice(url, { ends: true }) }, isOwn, hide };
}

const HEADERS: readonly string[] = ['accept', 'content-type', 'user-agent'];

/** Sends no header but these and the key: the SDK adds what the environment names, and facts about the machine. */
function fetchWith(hasKey: boolean): typeof fetch {
  const sent = hasKey ? [...HEADERS, 'authorization'] : HEADERS;
  return (address, init) => {
    const headers = [...new Headers(init?.headers)].filter(([name]) => sent.includes(name));
    // A redirect would take the key to another address.
    return fetchFor('model')(address, { ...init, headers, redirect: 'manual' });
  };
}
