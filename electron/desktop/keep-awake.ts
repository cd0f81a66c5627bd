/** While a workflow runs, the machine does not go to sleep by itself. */
import { powerSaveBlocker } from 'electron';
import { USUAL_CHOICES } from '#contract/hosts/desktop-choices.ts';
import type { Attention } from '#contract/view.ts';

export class KeepAwake {
  #id: number | null = null;

  receive(state: Attention | null): void {
    const { keepAwake } = state?.desktop ?? USUAL_CHOICES;
    const isWanted = keepAwake && state !== null && state.running.length > 0;
    if (isWanted) this.#id ??= powerSaveBlocker.start('prevent-app-suspension');
    else if (this.#id !== null) {
      powerSaveBlocker.stop(this.#id);
      this.#id = null;
    }
  }
}
