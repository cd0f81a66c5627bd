/** A real server of the protocol that wants a sign-in, and the authorization server that gives it: at one origin, or at two. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';

type Fields = Record<string, unknown>;

export interface SiteOptions {
  /** The authorization server stands at an origin of its own. */
  isSeparate?: boolean;
  /** Changes of what the site says of itself; undefined takes a field away. */
  described?: (site: SignInSite) => Fields;
  metadata?: (site: SignInSite) => Fields;
  /** It knows nothing of what tokens are for, as servers did that do not describe themselves. */
  isOld?: boolean;
  /** Changes of what a token request answers. */
  tokens?: Fields;
  /** Instead of the usual answer to a request for a path. */
  instead?: Record<string, (response: ServerResponse, site: SignInSite) => void>;
}

export interface Seen {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** `url`: of the MCP server; it believes in the newest access token alone. */
export class SignInSite {
  url = '';
  issuer = '';
  readonly options: SiteOptions;
  /** All requests, and those of them to the authorization server. */
  readonly seen: Seen[] = [];
  readonly signing: Seen[] = [];
  /** All that were given. */
  readonly secrets: string[] = [];
  /** The one that is believed in. */
  access: string | null = null;
  refresh: string | null = null;
  scope = 'read';
  deny: 'login' | 'refresh' | 'passing' | null = null;
  readonly #codes = new Map<string, { challenge: string; redirect: string }>();
  readonly #redirects = new Set<string>();

  constructor(options: SiteOptions) {
    this.options = options;
  }

  /** How often a path was asked for. */
  count(path: string, grant = ''): number {
    return this.seen.filter((one) => one.path.startsWith(path) && one.body.includes(grant)).length;
  }

  async start(): Promise<this> {
    const at = async (isSigning: boolean): Promise<string> => {
      const server = createServer((request, response) => void this.#take(request, response, isSigning));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void (server.close(), server.closeAllConnections()));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    const origin = await at(false);
    this.url = `${origin}/mcp`;
    this.issuer = this.options.isSeparate ? await at(true) : origin;
    return this;
  }

  async #take(request: IncomingMessage, response: ServerResponse, isSigning: boolean): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://site');
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const seen = { path: url.pathname, headers: request.headers, body };
    this.seen.push(seen);
    if (isSigning) this.signing.push(seen);
    const instead = this.options.instead?.[url.pathname];
    if (instead) return instead(response, this);
    if (url.pathname === '/mcp') return this.#serve(request, response, body);
    const answer = this.#answers(new URLSearchParams(body), url.searchParams, body)[url.pathname];
    if (answer) answer(response);
    else response.writeHead(404).end();
  }

  #answers(
    form: URLSearchParams,
    query: URLSearchParams,
    body: string,
  ): Record<string, (response: ServerResponse) => void> {
    return {
      '/.well-known/oauth-protected-resource/mcp': (response) =>
        json(response, this.options.isOld ? 404 : 200, {
          resource: this.url,
          authorization_servers: [this.issuer],
          scopes_supported: ['read'],
          ...this.options.described?.(this),
        }),
      '/.well-known/oauth-authorization-server': (response) => json(response, 200, this.#metadata()),
      '/register': (response) => {
        const { redirect_uris: redirects } = JSON.parse(body) as { redirect_uris: string[] };
        for (const redirect of redirects) this.#redirects.add(redirect);
        json(response, 201, { client_id: 'triad-here', redirect_uris: redirects });
      },
      '/authorize': (response) => this.#authorize(query, response),
      '/token': (response) => this.#token(form, response),
      '/revoke': (response) => response.writeHead(200).end(),
    };
  }

  get #resource(): string | null {
    return this.options.isOld ? null : this.url;
  }

  #metadata(): Fields {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      ...this.options.metadata?.(this),
    };
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const redirect = query.get('redirect_uri') ?? '';
    const back = new URL(redirect);
    const isMeant = this.#redirects.has(redirect) && query.get('resource') === this.#resource;
    if (!isMeant || query.get('code_challenge_method') !== 'S256') return void response.writeHead(400).end();
    this.scope = query.get('scope') ?? '';
    back.searchParams.set('state', query.get('state') ?? '');
    if (this.deny === 'login') back.searchParams.set('error', 'access_denied');
    else {
      const code = randomUUID();
      this.#codes.set(code, { challenge: query.get('code_challenge') ?? '', redirect });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  #token(form: URLSearchParams, response: ServerResponse): void {
    const isRefresh = form.get('grant_type') === 'refresh_token';
    if (isRefresh && this.deny === 'passing') return void response.writeHead(503).end('later');
    const code = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood = isRefresh
      ? form.get('refresh_token') === this.refresh && this.deny !== 'refresh'
      : code?.challenge === challenge && code.redirect === form.get('redirect_uri');
    if (!isGood || form.get('client_id') !== 'triad-here' || form.get('resource') !== this.#resource)
      return json(response, 400, { error: 'invalid_grant', error_description: form.toString() });
    this.access = `access-${randomUUID()}`;
    this.refresh = `refresh-${randomUUID()}`;
    this.secrets.push(this.access, this.refresh);
    json(response, 200, {
      access_token: this.access,
      refresh_token: this.refresh,
      token_type: 'Bearer',
      expires_in: 3600,
      ...this.options.tokens,
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const { authorization = '' } = request.headers;
    const described = `resource_metadata="${new URL(this.url).origin}/.well-known/oauth-protected-resource/mcp"`;
    if (this.access === null || authorization !== `Bearer ${this.access}`)
      return void response.writeHead(401, { 'www-authenticate': `Bearer ${described}` }).end(authorization);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (body.includes('"write"') && !this.scope.includes('write'))
      return void response
        .writeHead(403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="write"` })
        .end();
    if (body.includes('"breaks"')) return void response.writeHead(500).end(`you sent ${authorization}`);
    const server = new McpServer({ name: 'site', version: '1' });
    const said = { content: [{ type: 'text' as const, text: `you sent ${authorization}` }] };
    for (const name of ['work', 'write', 'breaks']) server.registerTool(name, {}, () => said);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    const headers = new Headers(request.headers as Record<string, string>);
    const answer = await transport.handleRequest(new Request(this.url, { method: 'POST', headers, body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    await server.close();
  }
}

const json = (response: ServerResponse, status: number, value: Fields): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};

/** Ends with the test. */
export const startSignInSite = (options: SiteOptions = {}): Promise<SignInSite> => new SignInSite(options).start();

/** What a person's browser does with the address of a sign-in: what its last page says. */
export async function browse(url: string): Promise<string> {
  const response = await fetch(url);
  return response.text();
}
