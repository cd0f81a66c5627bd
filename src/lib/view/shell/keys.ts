/** Keys of shortcuts in the notation of tinykeys (`$mod+Shift+O`, `g h`): recorded, compared and shown. Pure. */
import { spokenLanguage } from '../language.ts';

/** What a binding is recorded from. */
export type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

const MODIFIERS = new Set(['Control', 'Meta', 'Alt', 'Shift', 'AltGraph', 'CapsLock', 'Fn', 'Dead', 'Unidentified']);

/** The binding of one press; null while only modifiers are held. `mac`: ⌘ is the first modifier there. */
export function bindingOf(event: Pressed, mac: boolean): string | null {
  if (MODIFIERS.has(event.key)) return null;
  const held = [
    (mac ? event.metaKey : event.ctrlKey) && '$mod',
    mac && event.ctrlKey && 'Control',
    !mac && event.metaKey && 'Meta',
    event.altKey && 'Alt',
    event.shiftKey && 'Shift',
  ].filter((one) => one !== false);
  return [...held, keyOf(event)].join('+');
}

/** With Alt a letter may come as another sign, and a space would part two presses. */
function keyOf({ key, code, altKey }: Pressed): string {
  if (key === ' ') return 'Space';
  const letter = /^(?:Key|Digit)(.)$/.exec(code)?.[1];
  if (altKey && letter !== undefined) return letter;
  return key.length === 1 ? key.toUpperCase() : key;
}

/** The second key of two has to come within this time, in milliseconds. */
export const SEQUENCE_MS = 1000;

/** Whether a key alone can be the first of two, or the second: a sign, which does nothing in a text field. */
export function isOfSequence(press: string): boolean {
  return /^(?:Shift\+)?[^\s+]$/.test(press);
}

/** Whether it can be a shortcut: nobody types it in a text, or it is two signs one after the other. */
export function isShortcut(binding: string): boolean {
  const presses = binding.split(' ');
  return presses.length === 2 ? presses.every(isOfSequence) : isChord(binding);
}

function isChord(binding: string): boolean {
  const parts = binding.split('+');
  return /^F([1-9]|1[0-9])$/.test(parts.at(-1) ?? '') || parts.some((part) => /^(\$mod|Control|Meta|Alt)$/.test(part));
}

/** Whether both are the same keys, or one begins with the other, so that only one of them could work. */
export function isInTheWay(one: string, other: string): boolean {
  const [a, b] = [one, other].map((keys) => keys.split(' ').map(pressed)) as [string[], string[]];
  return a.slice(0, b.length).join(' ') === b.slice(0, a.length).join(' ');
}

/** Without what may be held, and without Shift for a sign that is no letter: which one it is says that already. */
function pressed(press: string): string {
  return press
    .replace(/\[\w+\]\+/g, '')
    .replace(/Shift\+(?=[^\p{L}+]$)/u, '')
    .toUpperCase();
}

const MAC: Readonly<Record<string, string>> = { $mod: '⌘', Meta: '⌘', Control: '⌃', Alt: '⌥', Shift: '⇧' };
const PC: Readonly<Record<string, string>> = { $mod: 'Ctrl', Control: 'Ctrl' };
const IN_FRENCH: Readonly<Record<string, string>> = {
  Shift: 'Maj',
  Space: 'Espace',
  Enter: 'Entrée',
  Backspace: 'Retour arrière',
};
const SIGNS: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};
/** As signs on a Mac alone; on other keyboards they are words. */
const MAC_SIGNS: Readonly<Record<string, string>> = { Enter: '↵', Backspace: '⌫' };

/** What is written on keyboards. */
function inLanguage(key: string): string {
  return (spokenLanguage() === 'fr' ? IN_FRENCH[key] : undefined) ?? key;
}

/** What is written on the keys, press by press, without what may be held: Shift for a `?`. */
export function capsOf(binding: string, mac: boolean): string[][] {
  if (binding === '') return [];
  return binding.split(' ').map((press) => {
    const parts = press.split(/(?<=[\w\]])\+/);
    const key = parts.pop() ?? '';
    const held = parts.filter((part) => !part.startsWith('['));
    return [
      ...held.map((part) => (mac ? MAC : PC)[part] ?? inLanguage(part)),
      (mac ? MAC_SIGNS[key] : undefined) ?? SIGNS[key] ?? (key.length === 1 ? key.toUpperCase() : inLanguage(key)),
    ];
  });
}

/** The same as words: `Ctrl+K`, `G then H`. */
export function keysText(binding: string, mac: boolean): string {
  return capsOf(binding, mac)
    .map((press) => press.join(mac ? '' : '+'))
    .join(' ');
}
