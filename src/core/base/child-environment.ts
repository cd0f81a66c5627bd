/** The environment of programs that need no secret of ours. */

export type Environment = Readonly<Record<string, string | undefined>>;

const OURS = /^(?:ANTHROPIC|TRIAD)_|^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/i;
const SECRET = /(^|_)(API_?KEYS?|KEYS?|TOKENS?|SECRETS?|PASS|PASSWORDS?|PASSWD|PASSPHRASE|CREDENTIALS?)(_|$)/i;

/** Whether a variable is this program's own. */
export const isOwnVariable = (name: string): boolean => OURS.test(name);

/** Whether the name of a variable says that it is secret. */
export const isSecretName = (name: string): boolean => SECRET.test(name);

/** Without our variables, and without those whose names say that they are secret. */
export function withoutSecrets(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOwnVariable(name) && !isSecretName(name)));
}

/** Takes those out of the environment of this process, which what it starts inherits; returns all there were. */
export function takeSecrets(env: Record<string, string | undefined>): Environment {
  const all = { ...env };
  const left = withoutSecrets(all);
  for (const name of Object.keys(all)) if (!Object.hasOwn(left, name)) delete env[name];
  return all;
}
