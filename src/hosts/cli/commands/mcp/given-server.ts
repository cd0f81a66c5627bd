/** Converts the arguments of `triad mcp add` into an entry of the settings, which names secrets without their values. */
import { resolve } from 'node:path';
import { checkLaunch, McpLaunch } from '#contract/mcp/mcp-entry.ts';
import { isSecretName } from '#core/base/child-environment.ts';
import { problemWords } from '#core/base/problem-words.ts';
import { findSecretArgument, wantedBy } from '#core/settings/mcp-json.ts';
import { UsageError } from '../../terminal/failure.ts';
import { visible } from '../../terminal/visible.ts';

/** The options of the command. */
export interface GivenServer {
  command: readonly string[];
  url?: string;
  env?: readonly string[];
  secret?: readonly string[];
  header?: readonly string[];
  cwd?: string;
}

export interface TypedServer {
  entry: McpLaunch;
  /** Values for the key store, by name. */
  secrets: Record<string, string>;
  /** Names of secrets without a value, which the person is asked for. */
  open: string[];
}

/** Returns the entry, with its secrets. `folder`: base of relative paths. Throws `UsageError`. */
export function serverOf(given: GivenServer, folder: string): TypedServer {
  const { command: words, url, cwd } = given;
  const [command, ...args] = words;
  if ((command === undefined) === (url === undefined))
    throw new UsageError('say how the server is reached: --url URL, or -- COMMAND ARGS, one of the two');
  const secrets = new Map<string, string>();
  const open = new Set<string>();
  const env = keepSecrets(pairs(given.env, '=', 'env'), secrets);
  const headers = keepSecrets(pairs(given.header, ':', 'header'), secrets);
  const own: string[] = [];
  for (const word of given.secret ?? []) {
    const [name, value] = secretOf(word);
    if (open.has(name) || secrets.has(name)) throw new UsageError(`${name} is given twice`);
    own.push(name);
    if (value === null) open.add(name);
    else secrets.set(name, value);
  }
  const plain = {
    ...(command === undefined ? { url } : { command, args }),
    ...(cwd === undefined ? {} : { cwd: cwd.includes('${') ? cwd : resolve(folder, cwd) }),
    env,
    headers,
  };
  const named = wantedBy(parsed(plain)).secrets;
  for (const name of own.filter((one) => !named.includes(one))) {
    if (url !== undefined)
      throw new UsageError(
        `--secret ${name} is sent nowhere: name it in a header, such as --header 'Authorization: Bearer \${secret:${name}}'`,
      );
    if (Object.hasOwn(env, name)) throw new UsageError(`${name} is given twice`);
    env[name] = reference(name);
  }
  const entry = parsed(plain);
  const exposedName = findSecretArgument(entry);
  if (exposedName !== null)
    throw new UsageError(
      `other programs can read the arguments of a server: pass ${exposedName} as a variable, with --secret ${exposedName}`,
    );
  return { entry, secrets: Object.fromEntries(secrets), open: [...open] };
}

/** Returns true if the name of a header is that of a secret. */
const isSecretHeader = (name: string): boolean =>
  /authorization|cookie/i.test(name) || isSecretName(name.replaceAll('-', '_'));

const reference = (name: string): string => `\${secret:${name}}`;

/** Separates the secret values from the others. A reference to a variable or a secret is not secret itself. */
function keepSecrets(values: ReadonlyMap<string, string>, secrets: Map<string, string>): Record<string, string> {
  return Object.fromEntries(
    [...values].map(([name, value]) => {
      if (!isSecretHeader(name) || value.includes('${')) return [name, value];
      const key = name.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, '_');
      secrets.set(key, value);
      return [name, reference(key)];
    }),
  );
}

function pairs(words: readonly string[] = [], mark: '=' | ':', option: 'env' | 'header'): Map<string, string> {
  const found = new Map<string, string>();
  for (const word of words) {
    const at = word.indexOf(mark);
    const name = word.slice(0, Math.max(0, at)).trim();
    // The error does not quote the value, which may be a secret.
    if (name === '')
      throw new UsageError(
        `--${option} takes ${option === 'env' ? 'NAME=VALUE' : '"NAME: VALUE"'}, and one has no "${mark}"`,
      );
    if (found.has(name)) throw new UsageError(`${visible(name)} is given twice`);
    found.set(name, mark === ':' ? word.slice(at + 1).trim() : word.slice(at + 1));
  }
  return found;
}

function secretOf(word: string): [string, string | null] {
  const at = word.indexOf('=');
  const name = at < 0 ? word : word.slice(0, at);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new UsageError('--secret takes NAME or NAME=VALUE; a name has letters, digits and "_"');
  return [name, at < 0 ? null : word.slice(at + 1)];
}

/** Checks the entry, and throws with the text of the settings file if it is invalid. */
function parsed(launch: unknown): McpLaunch {
  const result = McpLaunch.superRefine(checkLaunch).safeParse(launch, { error: problemWords });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new UsageError(`${issue?.path.map(String).join('.')} ${issue?.message}`);
}
