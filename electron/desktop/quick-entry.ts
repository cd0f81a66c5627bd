/** Keys that lead to a new conversation from any program: none, unless the person has set some. */
import { dialog, globalShortcut } from 'electron';
import { visibleText } from '#contract/visible-text.ts';
import type { Attention } from '#contract/view.ts';
import { text } from '../text.ts';

export class QuickEntry {
  readonly #onPress: () => void;
  /** As they are set, also where they could not be taken. */
  #keys: string | null = null;

  constructor(onPress: () => void) {
    this.#onPress = onPress;
  }

  receive(state: Attention | null): void {
    // Between two runtimes they stay.
    const keys = state === null ? this.#keys : (state.desktop?.quickEntry ?? null);
    if (keys === this.#keys) return;
    globalShortcut.unregisterAll();
    this.#keys = keys;
    if (keys !== null && !this.#take(keys)) refuse(keys);
  }

  #take(keys: string): boolean {
    try {
      return globalShortcut.register(keys, this.#onPress);
    } catch {
      // Keys that this system has no name for.
      return false;
    }
  }
}

function refuse(keys: string): void {
  const { taken, detail } = text().quickEntry;
  dialog.showMessageBox({ type: 'warning', message: taken(visibleText(keys)), detail }).catch(() => undefined);
}
