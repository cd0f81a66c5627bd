/** Settings from the text of their file, for tests that need nothing else of the program. */
import { checkSettings, type Settings } from '#core/settings/settings.ts';

export function settingsOf(toml: string): Settings {
  const result = checkSettings(toml);
  if (!result.ok) throw new Error(result.problems.map((problem) => problem.message).join('; '));
  return result.value;
}
