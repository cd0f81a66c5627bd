/** Puts the values of the environment and of the key store into what a server is started with, when it is started. */
import { TriadError } from '../base/errors.ts';
import type { Environment } from '../base/child-environment.ts';
import { isOwnVariable, isSecretName } from '../base/child-environment.ts';
import { tellServer } from '../settings/known-secrets.ts';
import { findSecretArgument, VARIABLE } from '../settings/mcp-json.ts';
import type { Secrets } from '../settings/secrets.ts';
import type { ConfiguredServer } from './configured.ts';
import type { McpServerConfig } from './server-config.ts';
import { serverWords } from './server-words.ts';

export interface Values {
  /** All of the program's own. */
  environment: Environment;
  secrets: Pick<Secrets, 'get' | 'set'>;
}

/** Under which name the key store has a secret of a server. */
export const secretName = (server: string, name: string): string => `mcp:${server}:${name}`;

/**
 * Returns a server with its values filled in. Throws `bad_input` for a missing variable or secret. Throws `not_allowed` for a
 * variable of this program and for a secret in an argument.
 */
export async function resolve(server: ConfiguredServer, values: Values): Promise<McpServerConfig> {
  const { name, source, launch, timeoutMs, sampling, lending } = server;
  // A client passes values, not names of what is the person's.
  const fill = async (text: string): Promise<string> => (source === 'client' ? text : fillText(text, server, values));
  const fillPublic = async (text: string): Promise<string> =>
    source === 'client' ? text : fillText(text, server, values, isSecretName);
  const fillAll = async (table: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      await Promise.all(Object.entries(table).map(async ([key, text]) => [key, await fill(text)] as const)),
    );
  const exposedName = source === 'client' ? null : findSecretArgument(launch);
  if (exposedName !== null)
    throw new TriadError(
      'not_allowed',
      `${serverWords(name)} has the secret ${exposedName} in its arguments, which other programs can read: set it in env instead`,
    );
  const [env, headers] = await Promise.all([fillAll(launch.env), fillAll(launch.headers)]);
  tellServer([source, lending, name].join(' '), { env, headers });
  const shared = { name, source, timeoutMs, sampling, ...(lending === undefined ? {} : { lending }) };
  if (launch.command === undefined)
    return { ...shared, transport: { kind: 'http', url: await fill(launch.url ?? ''), headers } };
  return {
    ...shared,
    transport: {
      kind: 'stdio',
      command: await fillPublic(launch.command),
      args: await Promise.all(launch.args.map(fillPublic)),
      env,
      cwd: launch.cwd === undefined ? null : await fill(launch.cwd),
    },
  };
}

/** Replaces the references in a text, except those to variables for which `keepsReference` returns true. */
async function fillText(
  text: string,
  server: ConfiguredServer,
  values: Values,
  keepsReference: (name: string) => boolean = () => false,
): Promise<string> {
  const references = [...text.matchAll(VARIABLE)];
  const parts = await Promise.all(
    references.map(async ([reference, secret, name = '', fallback]) =>
      keepsReference(name) ? reference : valueOf(secret !== undefined, name, fallback, server, values),
    ),
  );
  return text.replaceAll(VARIABLE, () => parts.shift() ?? '');
}

async function valueOf(
  isSecret: boolean,
  name: string,
  usual: string | undefined,
  { name: server, source }: ConfiguredServer,
  { environment, secrets }: Values,
): Promise<string> {
  if (isSecret) {
    // A project's file may name a server as the person's is named.
    const value = source === 'user' ? await secrets.get(secretName(server, name)) : null;
    if (value !== null) return value;
    const how = source === 'user' ? `: "triad mcp add" with --secret ${name} keeps one` : ' for a project’s file';
    throw new TriadError(
      'bad_input',
      `${serverWords(server)} needs the secret ${name}, and the key store has none${how}`,
    );
  }
  if (isOwnVariable(name))
    throw new TriadError(
      'not_allowed',
      `${serverWords(server)} wants the variable ${name}, which no other program gets`,
    );
  const value = environment[name] ?? usual;
  if (value !== undefined) return value;
  throw new TriadError('bad_input', `${serverWords(server)} needs the environment variable ${name}, which is not set`);
}
