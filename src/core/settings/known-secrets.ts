/** Tells what is redacted (`base/redact.ts`) of the settings, the environment and the key store. */
import { type Environment, isSecretName } from '../base/child-environment.ts';
import { linearPattern } from '../base/linear-pattern.ts';
import { knowPatterns, knowSecrets } from '../base/redact.ts';
import { providerEntry, providerNames } from './provider-settings.ts';
import type { Settings } from './settings.ts';

/** To be called with the first settings, and with each change of them. */
export function tellSecrets(
  { redact, mcp, providers }: Pick<Settings, 'redact' | 'mcp' | 'providers'>,
  env: Environment,
): void {
  knowPatterns(redact.patterns.map(linearPattern));
  tellEnvironment(env);
  // A source of its own: the environment is registered before the settings are read.
  knowSecrets(
    'variables in settings',
    redact.env.flatMap((name) => env[name]?.trim() ?? []),
  );
  knowSecrets('MCP servers', Object.values(mcp.servers).flatMap(secretsOf));
  const keys = providerNames(providers).map((name) => providerEntry(providers, name)?.auth?.api_key);
  knowSecrets(
    'providers',
    keys.flatMap((key) => (typeof key === 'string' ? wordsOf(key) : [])),
  );
}

interface Launch {
  env: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
}

/** Of a server as it is started, whoever named it: with the values of what its settings only name. */
export function tellServer(name: string, launch: Launch): void {
  knowSecrets(`MCP server: ${name}`, secretsOf(launch));
}

function secretsOf({ env, headers }: Launch): string[] {
  const values = [
    ...Object.entries(env).filter(([name]) => isSecretName(name)),
    ...Object.entries(headers).filter(([name]) => SECRET_HEADER.test(name)),
  ];
  return values.flatMap(([, value]) => wordsOf(value));
}

const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** Registers the values of variables whose names say that they are secret. */
export function tellEnvironment(env: Environment): void {
  const values = Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (name.startsWith('OTEL_') && name.endsWith('_HEADERS')) return headerWords(value);
    return isSecretName(name) && isNoPlace(value) ? [value.trim()] : [];
  });
  knowSecrets('environment', values);
}

/** A kept text: the key itself, or JSON that has it. */
export function tellKept(source: string, texts: readonly string[]): void {
  knowSecrets(`kept: ${source}`, texts.flatMap(secretsIn));
}

function secretsIn(text: string): string[] {
  try {
    return leavesOf(JSON.parse(text)).filter(isNoPlace);
  } catch {
    return wordsOf(text);
  }
}

function leavesOf(value: unknown): string[] {
  // What is kept may be JSON within the JSON of a file.
  if (typeof value === 'string')
    return value.startsWith('{') ? secretsIn(value) : [...wordsOf(value), ...headerWords(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, leaf]) => (OPEN_FIELD.test(name) ? [] : leavesOf(leaf)));
}

/** What is kept beside a secret, and is none: whom it belongs to, and for how long. */
const OPEN_FIELD = /^(?:address|host|user|url|endpoint|type|token_type|scope|expires\w*)$/i;

/** Of headers as the environment and the key store have them: `name=value,name=value`. */
function headerWords(text: string): string[] {
  return text.split(',').flatMap((one) => wordsOf(one.slice(one.indexOf('=') + 1)));
}

/** The whole, as it is and decoded, and of one such as "Bearer abc" the part that is secret; without what is a variable's place. */
function wordsOf(value: string): string[] {
  const text = value.trim();
  if (/\$\{[^}]*\}/.test(text)) return [];
  return [text, decoded(text)].flatMap((one) => [one, one.split(/\s+/).slice(1).join(' ')]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Not a path or an address, of which some variables and fields hold one: `TOKEN_URL`, `SSH_KEY_PATH`. */
function isNoPlace(value: string): boolean {
  return !/^(?:[~.]?\/|[a-z][a-z\d+.-]*:\/\/[^@]*$|[A-Za-z]:\\)/.test(value);
}
