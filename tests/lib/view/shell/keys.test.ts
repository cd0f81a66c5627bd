// Keys are recorded, compared and shown as they stand on the keyboard in front of the person.
import { expect, it } from 'vitest';
import { bindingOf, capsOf, isInTheWay, isShortcut, keysText, type Pressed } from '#lib/view/shell/keys.ts';

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const press = (key: string, code: string, held: Partial<Pressed> = {}): Pressed => ({ ...none, key, code, ...held });

it('records pressed keys, with Ctrl or ⌘ as the main modifier of the platform', () => {
  expect(bindingOf(press('k', 'KeyK', { ctrlKey: true }), false)).toBe('$mod+K');
  expect(bindingOf(press('k', 'KeyK', { metaKey: true }), true)).toBe('$mod+K');
  expect(bindingOf(press('k', 'KeyK', { ctrlKey: true }), true)).toBe('Control+K');
  expect(bindingOf(press('O', 'KeyO', { ctrlKey: true, shiftKey: true }), false)).toBe('$mod+Shift+O');
  expect(bindingOf(press('Control', 'ControlLeft', { ctrlKey: true }), false)).toBeNull();
  expect(bindingOf(press('˚', 'KeyK', { altKey: true }), true)).toBe('Alt+K');
  expect(bindingOf(press(' ', 'Space', { ctrlKey: true }), false)).toBe('$mod+Space');
});

it('accepts shortcuts that do not clash with typed text', () => {
  expect(['$mod+K', 'Alt+ArrowDown', 'F2', 'Control+Shift+P'].every(isShortcut)).toBe(true);
  expect(['k', 'Shift+K', '?', 'Enter', 'F'].some(isShortcut)).toBe(false);
  expect(['G T', 'g t', 'Shift+G 2', '? T'].every(isShortcut)).toBe(true);
  expect(['Enter T', 'G Enter', 'G $mod+T', 'Space T', 'G T R', '+ T'].some(isShortcut)).toBe(false);
});

it('isInTheWay detects shortcuts that conflict', () => {
  expect(isInTheWay('$mod+K', '$mod+k')).toBe(true);
  expect(isInTheWay('g h', 'G')).toBe(true);
  expect(isInTheWay('g h', 'g a')).toBe(false);
  expect(isInTheWay('g h', 'G H')).toBe(true);
  expect(isInTheWay('[Shift]+?', 'Shift+? T')).toBe(true);
  expect(isInTheWay('g h', 'Shift+G H')).toBe(false);
  expect(isInTheWay('$mod+K', '$mod+Shift+K')).toBe(false);
});

it('shows shortcuts as printed on the keys of the platform', () => {
  expect(keysText('$mod+Shift+O', false)).toBe('Ctrl+Shift+O');
  expect(keysText('$mod+Shift+O', true)).toBe('⌘⇧O');
  expect(capsOf('g h', false)).toEqual([['G'], ['H']]);
  expect(keysText('[Shift]+?', false)).toBe('?');
  expect(keysText('$mod+Shift+Enter', false)).toBe('Ctrl+Shift+Enter');
  expect(keysText('$mod+Backspace', false)).toBe('Ctrl+Backspace');
  expect(keysText('$mod+Enter', true)).toBe('⌘↵');
  expect(keysText('Alt+ArrowUp', false)).toBe('Alt+↑');
  expect(capsOf('', false)).toEqual([]);
});
