/** The keys that move the moment of a replay. */
import type { Player } from './player.svelte.ts';

/** With Shift. */
const MANY = 10;

const KEYS: Readonly<Record<string, (player: Player, by: number) => void>> = {
  ArrowRight: (player, by) => player.move(by),
  ArrowUp: (player, by) => player.move(by),
  ArrowLeft: (player, by) => player.move(-by),
  ArrowDown: (player, by) => player.move(-by),
  PageDown: (player) => player.toMark(1),
  PageUp: (player) => player.toMark(-1),
  Home: (player) => player.move(-Infinity),
  End: (player) => player.move(Infinity),
  ' ': (player) => player.toggle(),
};

/** Where arrow keys have a meaning of their own. */
const FIELDS = 'input, textarea, select, [contenteditable], [role=tab]';
/** What scrolls with the keys up and down. */
const SCROLLS = '[role=group][tabindex="0"], [role=region][tabindex="0"]';

/**
 * Whether a key is one of the player where the focus is. None is in a field. Arrows to the side are everywhere else; the
 * others are not where they scroll, nor the space bar where it presses something.
 */
export function isForPlayer({ key, target }: { key: string; target: Pick<Element, 'closest'> }): boolean {
  if (target.closest(FIELDS)) return false;
  if (key === 'ArrowLeft' || key === 'ArrowRight') return true;
  return !target.closest(key === ' ' ? `${SCROLLS}, button, a, summary` : SCROLLS);
}

export function keysOf(player: Player): (event: KeyboardEvent) => void {
  return (event) => {
    const act = KEYS[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(player, event.shiftKey ? MANY : 1);
  };
}
