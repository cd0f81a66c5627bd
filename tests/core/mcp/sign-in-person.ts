/** Somebody who uses a server that wants a sign-in, with a key store of their own. */
import { expect, onTestFinished } from 'vitest';
import { SignIns } from '#core/mcp/sign-ins.ts';
import type { McpPool } from '#core/mcp/pool.ts';
import type { McpServerConfig } from '#core/mcp/server-config.ts';
import type { Secrets } from '#core/settings/secrets.ts';
import { browse, type SignInSite, type SiteOptions, startSignInSite } from '../../support/web/sign-in-site.ts';
import { said, serverOf, testPool } from './support.ts';

function keyStore(): Pick<Secrets, 'get' | 'set'> & { kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get: (name) => Promise.resolve(kept.get(name) ?? null),
    set: (name, value) => Promise.resolve(void (value === null ? kept.delete(name) : kept.set(name, value))),
  };
}

export interface Person {
  site: SignInSite;
  server: McpServerConfig;
  signIns: SignIns;
  pool: McpPool;
  keys: ReturnType<typeof keyStore>;
  changes: string[];
  /** In a folder of its own: a connection of its own. */
  call: (tool?: string, folder?: string) => Promise<string>;
  login: () => Promise<string>;
}

export const at = (url: string, headers: Record<string, string> = {}): McpServerConfig =>
  serverOf('web', { kind: 'http', url, headers });

export async function personAt(
  site: SignInSite,
  more: { patienceMs?: number; keys?: Person['keys'] } = {},
): Promise<Person> {
  const { keys = keyStore(), patienceMs } = more;
  const changes: string[] = [];
  const server = at(site.url, { 'x-tenant': 'planted-tenant' });
  const signIns = new SignIns({
    secrets: keys,
    onChange: (name, isIn) => changes.push(`${name} ${isIn ? 'in' : 'out'}`),
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
  onTestFinished(() => signIns.end());
  const pool = testPool({ auth: (name, url) => signIns.access(name, url) });
  const call: Person['call'] = async (tool = 'work', folder = '/a') => said(pool.use(server, folder), tool);
  const login = async (): Promise<string> => {
    const page = await browse((await signIns.begin(server)).url);
    pool.retryNamed('web');
    return page;
  };
  return { site, server, signIns, pool, keys, changes, call, login };
}

export async function signedIn(options: SiteOptions = {}): Promise<Person> {
  const person = await personAt(await startSignInSite(options));
  expect(await person.login()).toContain('You are signed in to the MCP server "web"');
  return person;
}
