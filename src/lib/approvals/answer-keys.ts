/**
 * The keys that answer a question: dead while they are held down, while text is composed, and in text fields. Only the key
 * of the yes counts in fields of the answer itself (those within `data-edits`), where nothing else has that key.
 */
import { matchKeybindingPress, parseKeybinding } from 'tinykeys';
import { FIXED_KEYS } from '#lib/view/shell/command-table.ts';
import { isTextField } from '#lib/ui/text-field.ts';

export type AnswerKey = 'allow' | 'allowAll' | 'reject' | 'ask';

/** In the notation of tinykeys. */
export const PRESSES: Readonly<Record<AnswerKey, string>> = {
  allow: FIXED_KEYS.allow,
  allowAll: FIXED_KEYS.allowAll,
  reject: FIXED_KEYS.reject,
  // On some keyboards the stroke itself is behind Shift.
  ask: '$mod+[Shift]+/',
};

type Press = ReturnType<typeof parseKeybinding>[number];
const presses = Object.entries(PRESSES).map(([key, press]) => [key, parseKeybinding(press)[0]!] as [AnswerKey, Press]);

/** Returns which answer key an event is, wherever it was pressed, also while it is held down. */
export function findPressedKey(event: KeyboardEvent): AnswerKey | null {
  if (event.isComposing) return null;
  return presses.find(([, press]) => matchKeybindingPress(event, press))?.[0] ?? null;
}

/** What a key asks for; null for every other, and where it is meant for something else. */
export function answerKeyOf(event: KeyboardEvent): AnswerKey | null {
  if (event.repeat) return null;
  const key = findPressedKey(event);
  if (!isTextField(event.target)) return key;
  return key === 'allow' && isOfAnswer(event.target) ? key : null;
}

function isOfAnswer(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-edits]') !== null;
}

/** As `aria-keyshortcuts` has it. */
export function shortcutOf(key: AnswerKey, isMac: boolean): string {
  return PRESSES[key].replace('$mod', isMac ? 'Meta' : 'Control').replace('[Shift]+', '');
}
