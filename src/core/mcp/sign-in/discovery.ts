/** Where a person signs in for a server, as the server says (RFC 9728) and whoever it names (RFC 8414): nothing of it is believed unchecked. */
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import { TriadError } from '../../base/errors.ts';
import { type Guard, guardedFetch, mustBeReachable, mustBeSafe } from './guarded-fetch.ts';

export interface SignInPlace {
  readonly metadata: AuthorizationServerMetadata;
  readonly revocationEndpoint: string | null;
  /** What the tokens are to be for; undefined where the server does not say. */
  readonly resource: string | undefined;
  /** What the person is asked to allow; undefined: what is usual there. */
  readonly scope: string | undefined;
}

export interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Rights that the server missed before. */
  readonly missing: string | undefined;
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const ENDPOINTS = ['token_endpoint', 'registration_endpoint', 'revocation_endpoint'] as const;

/** Throws `not_allowed` for what is not safe or fits not together, and what `guardedFetch` and the SDK throw. */
export async function signInPlace(asked: Asked, guard: Guard): Promise<SignInPlace> {
  const { url } = asked;
  const fetch = guardedFetch(guard);
  const challenge = await challengeOf(asked, fetch);
  const described = await describedBy(url, challenge.resourceMetadataUrl, fetch);
  const issuer = described?.authorization_servers?.[0] ?? new URL('/', url).href;
  mustBeSafe(new URL(issuer), url);
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  if (!metadata) throw new TriadError('not_allowed', 'it does not say where to sign in');
  checkEndpoints(metadata, url);
  await mustBeReachable(new URL(metadata.authorization_endpoint), guard);
  const { revocation_endpoint: revocation = null }: Readonly<Record<string, unknown>> = metadata;
  if (!metadata.code_challenge_methods_supported?.includes('S256'))
    throw new TriadError('not_allowed', `${new URL(metadata.issuer).host} does not protect sign-ins with PKCE (S256)`);
  const wanted = challenge.scope ?? described?.scopes_supported?.join(' ');
  const revocationEndpoint = typeof revocation === 'string' ? revocation : null;
  return {
    metadata,
    revocationEndpoint,
    resource: described?.resource,
    scope: scopeOf(wanted, asked.missing, metadata),
  };
}

/** What the server answers who has not signed in. */
async function challengeOf(
  { url, headers }: Asked,
  fetch: FetchLike,
): Promise<ReturnType<typeof extractWWWAuthenticateParams>> {
  const sent = new Headers(headers);
  sent.delete('authorization');
  sent.set('content-type', 'application/json');
  sent.set('accept', 'application/json, text/event-stream');
  const response = await fetch(url, { method: 'POST', headers: sent, body: PING });
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
}

/** Null: it is of before the day when servers described themselves, and signs in where it stands. */
async function describedBy(
  url: string,
  resourceMetadataUrl: URL | undefined,
  fetch: FetchLike,
): Promise<OAuthProtectedResourceMetadata | null> {
  let described: OAuthProtectedResourceMetadata;
  try {
    const where = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
    described = await discoverOAuthProtectedResourceMetadata(url, where, fetch);
  } catch (error) {
    // The SDK's own plain error: the server answered that it has none.
    if (error instanceof Error && error.name === 'Error') return null;
    throw error;
  }
  if (checkResourceAllowed({ requestedResource: url, configuredResource: described.resource })) return described;
  throw new TriadError('not_allowed', `it describes itself as another server: ${new URL(described.resource).host}`);
}

/** They may stand elsewhere than the issuer, as some do. Where each leads to is looked at when it is asked. */
function checkEndpoints(metadata: AuthorizationServerMetadata, server: string): void {
  const addresses: Readonly<Record<string, unknown>> = metadata;
  for (const name of ENDPOINTS) {
    const address = addresses[name];
    if (typeof address === 'string') mustBeSafe(new URL(address), server);
  }
}

/** With `offline_access` where that is known: without it, some give no refresh token. */
function scopeOf(
  wanted: string | undefined,
  missing: string | undefined,
  { scopes_supported: known }: AuthorizationServerMetadata,
): string | undefined {
  const words = [wanted, missing].flatMap((text) => text?.split(' ') ?? []).filter((word) => word !== '');
  if (words.length === 0) return undefined;
  return [...new Set([...words, ...(known?.includes('offline_access') ? ['offline_access'] : [])])].join(' ');
}
