/** The steps of signing in by OAuth 2.1 with PKCE, and of renewing and giving back what it gave. */
import {
  type AuthorizationServerMetadata,
  exchangeAuthorization,
  type FetchLike,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  type OAuthClientInformationMixed,
  type OAuthTokens,
  refreshAuthorization,
  registerClient,
  RegistrationRejectedError,
  startAuthorization,
} from '@modelcontextprotocol/client';
import { visibleText } from '#contract/visible-text.ts';
import { TriadError } from '../../base/errors.ts';
import { cutAtCodePoint } from '../../base/text.ts';
import type { Callback } from './callback.ts';
import { type Asked, signInPlace, type SignInPlace } from './discovery.ts';
import type { Grant } from './grants.ts';
import { type Guard, guardedFetch } from './guarded-fetch.ts';

export interface Started {
  /** What the person opens. */
  readonly url: string;
  /** Takes the answer that the browser brought back. */
  readonly finish: (params: URLSearchParams) => Promise<Grant>;
}

const MAX_ADDRESS_CHARS = 8192;
const MAX_TOKEN_CHARS = 16_384;
/** As it can stand in a header. */
const TOKEN = /^[\x21-\x7e]+$/;
/** Answers that say nothing about whether the person's sign-in still holds. */
const PASSING: ReadonlySet<string> = new Set([
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
]);

/** Throws a `TriadError` whose message is the end of a sentence: why one cannot sign in. */
export async function start(
  asked: Asked,
  { redirectUrl, state }: Pick<Callback, 'redirectUrl' | 'state'>,
  guard: Guard,
): Promise<Started> {
  const fetch = guardedFetch(guard);
  return toldPlainly(async () => {
    const place = await signInPlace(asked, guard);
    const { metadata, resource, scope } = place;
    const client = await registered(place, redirectUrl, fetch);
    const { authorizationUrl, codeVerifier } = await startAuthorization(metadata.issuer, {
      metadata,
      clientInformation: client,
      redirectUrl,
      state,
      ...(scope === undefined ? {} : { scope }),
      ...(resource === undefined ? {} : { resource }),
    });
    if (authorizationUrl.href.length > MAX_ADDRESS_CHARS)
      throw new TriadError('limit_reached', `${authorizationUrl.host} wants an address that is too long to open`);
    const finish = (params: URLSearchParams): Promise<Grant> =>
      toldPlainly(async () => {
        const tokens = await exchangeAuthorization(metadata.issuer, {
          metadata,
          clientInformation: client,
          authorizationCode: codeIn(params),
          codeVerifier,
          redirectUri: redirectUrl,
          fetchFn: fetch,
          ...(params.has('iss') ? { iss: params.get('iss')! } : {}),
          ...(resource === undefined ? {} : { resource }),
        });
        return grantOf(place, client, tokens);
      });
    return { url: authorizationUrl.href, finish };
  });
}

async function registered(
  { metadata, scope }: SignInPlace,
  redirectUrl: string,
  fetch: FetchLike,
): Promise<OAuthClientInformationMixed> {
  if (metadata.registration_endpoint === undefined)
    throw new TriadError(
      'not_allowed',
      `${new URL(metadata.issuer).host} lets no program register itself: configure a token of it as a header instead`,
    );
  return registerClient(metadata.issuer, {
    metadata,
    clientMetadata: {
      client_name: 'Triad',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    fetchFn: fetch,
    ...(scope === undefined ? {} : { scope }),
  });
}

/** Throws `cancelled` where the person said no. */
function codeIn(params: URLSearchParams): string {
  const [code, error] = [params.get('code'), params.get('error')];
  if (error === 'access_denied') throw new TriadError('cancelled', 'access was denied there');
  if (error !== null || code === null)
    throw new TriadError('provider', `the sign-in ended with the error ${said(error ?? 'of giving no code')}`);
  return code;
}

function grantOf(
  { metadata, revocationEndpoint, resource }: SignInPlace,
  client: OAuthClientInformationMixed,
  tokens: OAuthTokens,
): Grant {
  return {
    issuer: metadata.issuer,
    tokenEndpoint: metadata.token_endpoint,
    revocationEndpoint,
    authMethods: metadata.token_endpoint_auth_methods_supported ?? [],
    resource: resource ?? null,
    clientId: client.client_id,
    clientSecret: client.client_secret ?? null,
    ...accessOf(tokens),
  };
}

function accessOf(tokens: OAuthTokens): Pick<Grant, 'accessToken' | 'refreshToken' | 'expiresAt'> {
  const { access_token: accessToken, refresh_token: refreshToken = null, token_type: type } = tokens;
  // The value itself must not reach a message.
  const fits = [accessToken, refreshToken ?? '-'].every((text) => TOKEN.test(text) && text.length <= MAX_TOKEN_CHARS);
  if (type.toLowerCase() !== 'bearer' || !fits)
    throw new TriadError('provider', 'the sign-in gave a token of a kind that cannot be used');
  const { expires_in: seconds } = tokens;
  return { accessToken, refreshToken, expiresAt: seconds === undefined ? null : Date.now() + seconds * 1000 };
}

/** Null: it was refused, and the person must sign in again. Throws like `start` where that is not known. */
export async function renew(grant: Grant, refreshToken: string, guard: Guard): Promise<Grant | null> {
  return toldPlainly(async () => {
    try {
      const tokens = await refreshAuthorization(grant.issuer, {
        metadata: metadataOf(grant),
        clientInformation: clientOf(grant),
        refreshToken,
        fetchFn: guardedFetch(guard),
        ...(grant.resource === null ? {} : { resource: grant.resource }),
      });
      return { ...grant, ...accessOf(tokens) };
    } catch (error) {
      if (error instanceof OAuthError && !PASSING.has(error.code)) return null;
      throw error;
    }
  });
}

/** Best effort (RFC 7009). */
export async function revoke(grant: Grant, guard: Guard): Promise<void> {
  const { revocationEndpoint, refreshToken, accessToken, clientId, clientSecret } = grant;
  if (revocationEndpoint === null) return;
  const isRefresh = refreshToken !== null;
  const body = new URLSearchParams({
    token: isRefresh ? refreshToken : accessToken,
    token_type_hint: isRefresh ? 'refresh_token' : 'access_token',
    client_id: clientId,
  });
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
  if (clientSecret !== null)
    headers.set('authorization', `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`);
  await guardedFetch(guard)(revocationEndpoint, { method: 'POST', headers, body });
}

function metadataOf({ issuer, tokenEndpoint, authMethods }: Grant): AuthorizationServerMetadata {
  return {
    issuer,
    token_endpoint: tokenEndpoint,
    token_endpoint_auth_methods_supported: authMethods,
    authorization_endpoint: tokenEndpoint,
    response_types_supported: ['code'],
  };
}

function clientOf({ clientId, clientSecret }: Grant): OAuthClientInformationMixed {
  return { client_id: clientId, ...(clientSecret === null ? {} : { client_secret: clientSecret }) };
}

/** No answer is quoted: one may hold what is secret. */
async function toldPlainly<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof TriadError) throw error;
    throw new TriadError('provider', plainWords(error));
  }
}

function plainWords(error: unknown): string {
  if (error instanceof IssuerMismatchError) return 'the sign-in is not of the issuer that it says';
  if (error instanceof RegistrationRejectedError) return `this program was refused there (HTTP ${error.status})`;
  if (error instanceof OAuthError) return `the sign-in was answered with the error ${said(error.code)}`;
  if (error instanceof Error && error.name === 'ZodError') return 'what it says of its sign-in cannot be used';
  if (error instanceof SyntaxError) return 'what it says of its sign-in is no JSON';
  return 'what it says of its sign-in makes no sense';
}

const said = (text: string): string => cutAtCodePoint(visibleText(text), 60);
