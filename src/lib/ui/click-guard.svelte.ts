/**
 * Ignores answers that were meant for something else. After a question appears, the window gets the focus, or anybody
 * presses a key or the pointer anywhere, no answer counts for a moment, so whoever is typing or clicking when a question
 * comes cannot answer it by accident. Two things start no such moment: keys that only lead somewhere (Tab, arrows, Page,
 * Home, End, Escape, modifiers), and a press on a button that answers, or of a key that does, if it begins when answers
 * count. So Tab and then Enter or Space answers at any speed; a key that is held down, and a press that began too early,
 * never does.
 */
import type { Attachment } from 'svelte/attachments';

const HOLD_MS = 300;

const LEADING_KEYS = new Set([
  ...['Tab', 'Escape', 'Home', 'End', 'PageUp', 'PageDown', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'],
  ...['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'NumLock'],
]);
/** Those that press the button that has the focus. */
const PRESSING_KEYS = new Set(['Enter', ' ']);
const PRESSES = ['keydown', 'pointerdown'] as const;
const RELEASES = ['keyup', 'pointerup'] as const;

export class ClickGuard {
  /** Whether answers count. */
  ready = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The press that is under way began on a button that answers, when answers counted. */
  #deliberate = false;
  readonly #isAnswerKey: (event: KeyboardEvent) => boolean;

  constructor(isAnswerKey: (event: KeyboardEvent) => boolean = () => false) {
    this.#isAnswerKey = isAnswerKey;
  }

  /** Takes no answer for so many milliseconds. */
  hold(ms = HOLD_MS): void {
    this.ready = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.ready = true), ms);
  }

  /** For the element around the buttons; those that answer have `data-answers`. */
  readonly attach: Attachment<HTMLElement> = (element) => {
    const hold = (): void => this.hold();
    const press = (event: Event): void => {
      if (isLeading(event)) return;
      const isKey = event instanceof KeyboardEvent;
      const presses = !isKey || PRESSING_KEYS.has(event.key);
      const answers = (presses && answersIn(element, event.target)) || (isKey && this.#isAnswerKey(event));
      this.#deliberate = this.ready && !(isKey && event.repeat) && answers;
      if (!this.#deliberate) hold();
    };
    const release = (event: Event): void => {
      if (!isLeading(event) && !this.#deliberate) hold();
    };
    hold();
    window.addEventListener('focus', hold);
    document.addEventListener('visibilitychange', hold);
    // Before anything that they lead to.
    for (const name of PRESSES) window.addEventListener(name, press, { capture: true });
    for (const name of RELEASES) window.addEventListener(name, release, { capture: true });
    return () => {
      clearTimeout(this.#timer);
      this.ready = false;
      window.removeEventListener('focus', hold);
      document.removeEventListener('visibilitychange', hold);
      for (const name of PRESSES) window.removeEventListener(name, press, { capture: true });
      for (const name of RELEASES) window.removeEventListener(name, release, { capture: true });
    };
  };
}

function isLeading(event: Event): boolean {
  return event instanceof KeyboardEvent && LEADING_KEYS.has(event.key);
}

function answersIn(element: HTMLElement, target: EventTarget | null): boolean {
  const button = target instanceof Element ? target.closest('[data-answers]') : null;
  return button !== null && element.contains(button);
}
