/** Tells what is redacted (`base/redact.ts`) of the settings, the environment and the key store. */
import { type Environment, isSecretName } from '../base/child-environment.ts';
import { linearPattern } from '../base/linear-pattern.ts';
import { knowPatterns, knowSecrets } from '../base/redact.ts';
import type { Settings } from './settings.ts';

/** To be called with the first settings, and with each change of them. */
export function tellSecrets({ redact, mcp }: Pick<Settings, 'redact' | 'mcp'>, env: Environment): void {
  knowPatterns(redact.patterns.map(linearPattern));
  tellEnvironment(env, redact.env);
  const values = Object.values(mcp.servers).flatMap(({ env: ofProcess, headers }) => [
    ...Object.entries(ofProcess).filter(([name]) => isSecretName(name)),
    ...Object.entries(headers).filter(([name]) => SECRET_HEADER.test(name)),
  ]);
  knowSecrets(
    'MCP servers',
    values.flatMap(([, value]) => wordsOf(value)),
  );
}

const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** Of variables whose names say that they are secret, and of those that the person names. */
export function tellEnvironment(env: Environment, named: readonly string[] = []): void {
  const values = Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (name === OTLP_HEADERS) return value.split(',').flatMap((one) => wordsOf(one.slice(one.indexOf('=') + 1)));
    return named.includes(name) || (isSecretName(name) && isNoPlace(value)) ? [value] : [];
  });
  knowSecrets('environment', values);
}

/** Headers of the requests to a collector, as all of its programs have them. */
export const OTLP_HEADERS = 'OTEL_EXPORTER_OTLP_HEADERS';

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
  if (typeof value === 'string') return value.startsWith('{') ? secretsIn(value) : wordsOf(value);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, leaf]) => (OPEN_FIELD.test(name) ? [] : leavesOf(leaf)));
}

/** What is kept beside a secret, and is none: whom it belongs to, and for how long. */
const OPEN_FIELD = /^(?:address|host|user|url|endpoint|type|token_type|scope|expires\w*)$/i;

/** The whole, and of one such as "Bearer abc" the part that is secret; without what is a variable's place. */
function wordsOf(value: string): string[] {
  const text = decoded(value.trim());
  if (/\$\{[^}]*\}/.test(text)) return [];
  const [first = '', ...rest] = text.split(/\s+/);
  return rest.length === 0 ? [first] : [text, rest.join(' ')];
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
