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

export function keysOf(player: Player): (event: KeyboardEvent) => void {
  return (event) => {
    const act = KEYS[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(player, event.shiftKey ? MANY : 1);
  };
}
