/** Whether who answers has a key: nobody is asked, so one that is wrong is not found. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TriadError } from '#core/base/errors.ts';
import type { ModelLists } from '#core/model/model-lists.ts';
import { Provider } from '#core/model/provider.ts';
import { KEY_FILES } from '#core/settings/guarded-files.ts';
import { LiveSettings } from '#core/settings/live-settings.ts';
import { fileSecrets } from '#core/settings/secrets.ts';
import type { Settings } from '#core/settings/settings.ts';
import { type Finding, keyFinder } from './finding.ts';

export interface KeyParts {
  config: string;
  file: string;
  text: string;
  settings: Settings;
  lists: ModelLists;
  env: Readonly<Record<string, string | undefined>>;
}

export async function checkProviderKeys({ config, file, text, settings, lists, env }: KeyParts): Promise<Finding[]> {
  // What the system's key store has sealed can only be read by the desktop app.
  if (await stat(join(config, KEY_FILES[1])).catch(() => null)) return [];
  const environment = {
    apiKey: env['ANTHROPIC_API_KEY'] || undefined,
    baseUrl: env['ANTHROPIC_BASE_URL'] || undefined,
  };
  const provider = new Provider({
    secrets: fileSecrets(config),
    lists,
    settings: new LiveSettings(config, settings),
    environment,
    createModel: () => {
      throw new TriadError('internal', 'Nobody is asked here');
    },
  });
  const { ready, keyElsewhere } = await provider.state();
  if (ready) return [];
  const say = keyFinder(file, text);
  const what = keyElsewhere?.what ?? 'no key is kept, and ANTHROPIC_API_KEY is not set';
  const todo = keyElsewhere?.remedy ?? 'enter one on the settings page, or set ANTHROPIC_API_KEY';
  return [say('providers.active', `is ${settings.providers.active}, and cannot answer: ${what}`, todo)];
}
