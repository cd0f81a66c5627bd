/** A rule in a few words, for names and messages: nothing hides in them. */
import { visibleText } from '#contract/visible-text.ts';
import type { Rule } from '#contract/permission.ts';
import { text } from '#lib/words/text.ts';

export function sentenceOf({ effect, tool, permission, pattern }: Rule): string {
  return visibleText(text.rules.sentence(text.permissions.effects[effect], tool ?? permission ?? '', pattern));
}
