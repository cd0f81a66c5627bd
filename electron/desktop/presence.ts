/** Whether the person is here: input in a window of ours a short while ago, and one of them in front. */
import { app, BrowserWindow, type InputEvent, type MouseInputEvent } from 'electron';

export class Presence {
  /** Of the last input, in epoch milliseconds. */
  #seen = -Infinity;
  #pointer = '';

  /** Before the first window. */
  follow(): void {
    app.on('web-contents-created', (_event, contents) => {
      contents.on('input-event', (_input, input) => {
        if (!this.#isStill(input)) this.#seen = Date.now();
      });
    });
  }

  isHere(awaySeconds: number): boolean {
    return BrowserWindow.getFocusedWindow() !== null && Date.now() - this.#seen < awaySeconds * 1000;
  }

  /** Of a window that opens under a pointer at rest, or goes from there. */
  #isStill(input: InputEvent): boolean {
    if (input.type === 'mouseEnter' || input.type === 'mouseLeave') return true;
    if (input.type !== 'mouseMove') return false;
    const { globalX, globalY } = input as MouseInputEvent;
    const at = `${globalX} ${globalY}`;
    const isStill = at === this.#pointer || this.#pointer === '';
    this.#pointer = at;
    return isStill;
  }
}
