/** Registers the person's secrets for redaction before a runtime exists. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../base/child-environment.ts';
import { KEY_FILES } from './guarded-files.ts';
import { tellEnvironment, tellKept, tellSecrets } from './known-secrets.ts';

/** Registers the secrets in the key files, the environment and the settings. */
export async function registerOwnSecrets(config: string, env: Environment): Promise<void> {
  await registerKeys(config, env);
  await registerSettingSecrets(config, env);
}

/** Registers the secrets in the key files and the environment. */
export async function registerKeys(config: string, env: Environment): Promise<void> {
  for (const name of KEY_FILES) tellKept(name, [await readFile(join(config, name), 'utf8').catch(() => '')]);
  tellEnvironment(env);
}

/** Registers the secrets in the settings. Loads their schemas on demand, because these delay a start. */
export async function registerSettingSecrets(config: string, env: Environment): Promise<void> {
  const { loadSettings } = await import('./settings.ts');
  // A command that needs the settings reports a fault in them.
  await loadSettings(config).then(
    (settings) => tellSecrets(settings, env),
    () => undefined,
  );
}
