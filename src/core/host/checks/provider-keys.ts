/** Whether who answers has a key: nobody is asked, so one that is wrong is not found. */
import { keyElsewhereText } from '#contract/providers/key-elsewhere-text.ts';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TriadError } from '#core/base/errors.ts';
import type { ModelLists } from '#core/model/model-lists.ts';
import { Providers } from '#core/model/providers/providers.ts';
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

/** Of the active provider, and of those that the file sets up. */
export async function checkProviderKeys({ config, file, text, settings, lists, env }: KeyParts): Promise<Finding[]> {
  // What the system's key store has sealed can only be read by the desktop app.
  if (await stat(join(config, KEY_FILES[1])).catch(() => null)) return [];
  const providers = new Providers({
    secrets: fileSecrets(config),
    lists,
    settings: new LiveSettings(config, settings),
    environment: {
      apiKey: env['ANTHROPIC_API_KEY'] || undefined,
      baseUrl: env['ANTHROPIC_BASE_URL'] || undefined,
      programs: env,
    },
    createModel: () => {
      throw new TriadError('internal', 'Nobody is asked here');
    },
  });
  const say = keyFinder(file, text);
  const states = (await providers.states()).filter(({ ready }) => !ready);
  return states.flatMap(({ name, active, keyElsewhere, keyEnv }) => {
    const isNamed = !BUILT_IN.includes(name);
    if (!active && !isNamed) return [];
    const isUnset = keyEnv === null ? '' : `, and ${keyEnv} is not set`;
    const elsewhere = keyElsewhere && keyElsewhereText(keyElsewhere);
    const what = elsewhere?.what ?? `no key is kept${isUnset}`;
    const todo = elsewhere?.todo ?? `enter one on the settings page, or pipe it into "triad config key ${name}"`;
    const [path, who] = active ? ['providers.active', `is ${name}, and`] : [`providers.${name}`, ''];
    return [say(path, `${who} cannot answer: ${what}`.trim(), todo)];
  });
}

/** There without a word in a file. */
const BUILT_IN = ['anthropic', 'openai'];
