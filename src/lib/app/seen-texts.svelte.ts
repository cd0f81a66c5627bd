/** Which texts of one question were seen to their end: one that is longer than its box holds the yes back until then. */
import { untrack } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import { lengthOf } from '#contract/visible-text.ts';

/** A text whose end was not on the screen yet. */
export interface Unseen {
  name: string;
  label: string;
}

interface Box {
  label: string;
  /** Null while the question is not on the screen. */
  element: HTMLElement | null;
  /**
   * Its end must be in sight: it was longer than its box at some time, and may have grown since, or it is what the question
   * is about, which may lie below the edge.
   */
  waits: boolean;
  /** Seen once, it is known in every question; null for what must be seen in each. */
  lasting: string | null;
}

/** Texts that were seen to their end in whatever question. */
export interface Known {
  has: (text: string) => boolean;
  add: (text: string) => unknown;
  /** Finds out whether `has` should say so; left out where it knows by itself. */
  look?: (text: string) => Promise<void>;
}

/** Texts up to these fit their boxes at any size of the window. */
const SURELY_FIT = { lines: 4, characters: 200 };
/** Boxes are scrolled by parts of pixels; a caret at the end leaves the padding below it out of sight. */
const OVERFLOW_PX = 2;
const END_PX = 8;
const END_CHARS = 100;

export class SeenTexts {
  readonly #boxes = new SvelteMap<string, Box>();
  readonly #seen = new SvelteSet<string>();
  readonly #known: Known;

  constructor(known: Known) {
    this.#known = known;
  }

  /**
   * The texts that hold the yes back. `texts`: those of the question; one that never had a box (the question was not on the
   * screen, or it is folded away) waits where it may be longer than one.
   */
  unseen(texts: readonly { name: string; label: string; text: string }[]): Unseen[] {
    const never = texts.filter(
      ({ name, text }) =>
        !this.#boxes.has(name) && !this.#seen.has(name) && !this.#known.has(text) && !surelyFits(text),
    );
    for (const { text } of never) void this.#known.look?.(text);
    const boxes = [...this.#boxes].flatMap(([name, { label, waits }]) =>
      waits && !this.#seen.has(name) ? [{ name, label }] : [],
    );
    return [...boxes, ...never.map(({ name, label }) => ({ name, label }))];
  }

  /** The end of a text was on the screen, or the person wrote it. */
  mark(name: string): void {
    this.#seen.add(name);
    const lasting = untrack(() => this.#boxes.get(name)?.lasting);
    if (lasting) this.#known.add(lasting);
  }

  #recall(name: string, text: string): void {
    const recall = (): void => {
      if (untrack(() => this.#known.has(text))) this.#seen.add(name);
    };
    recall();
    void this.#known.look?.(text).then(recall);
  }

  /** Leads to a text, so that keys scroll it. */
  show(name: string): void {
    const element = this.#boxes.get(name)?.element;
    element?.scrollIntoView({ block: 'end' });
    element?.focus({ preventScroll: true });
  }

  /** For a field with a text that has its box elsewhere in the question: read to its end here, it was seen too. */
  reader(name: string): Attachment<HTMLElement> {
    return (element) => {
      return watch(element, () => {
        if (isAtEnd(element) && isEndInSight(element)) this.mark(name);
      });
    };
  }

  /** For the box of a text, which scrolls, and can then be reached by keyboard. */
  box(
    name: string,
    label: string,
    { lasting = null, isAlways = false }: { lasting?: string | null; isAlways?: boolean } = {},
  ): Attachment<HTMLElement> {
    return (element) => {
      if (lasting !== null) this.#recall(name, lasting);
      const look = (): void => {
        const overflows = element.scrollHeight - element.clientHeight > OVERFLOW_PX;
        const before = this.#boxes.get(name);
        const waits = isAlways || overflows || before?.waits === true;
        if (before?.element !== element || before.waits !== waits)
          this.#boxes.set(name, { label, element, waits, lasting });
        if (waits && isAtEnd(element) && isEndInSight(element)) this.mark(name);
        // Reached by Tab where keys scroll it, and else from the list of what waits.
        if (overflows && element.tabIndex < 0) element.tabIndex = 0;
        else if (waits && !element.hasAttribute('tabindex')) element.tabIndex = -1;
      };
      const end = watch(element, look);
      return () => {
        end();
        const box = untrack(() => this.#boxes.get(name));
        if (box?.element === element) this.#boxes.set(name, { ...box, element: null });
      };
    };
  }
}

/** Calls `look` now, and whenever what is in sight of a box may be something else. */
function watch(element: HTMLElement, look: () => void): () => void {
  untrack(look);
  const observer = new ResizeObserver(look);
  observer.observe(element);
  for (const child of element.children) observer.observe(child);
  // The window makes room for the end too.
  observer.observe(document.documentElement);
  element.addEventListener('input', look, { passive: true });
  // What is around it may scroll, and scrolling does not bubble.
  document.addEventListener('scroll', look, { capture: true, passive: true });
  element.addEventListener('scroll', bringEnd, { passive: true });
  element.addEventListener('focus', caretToStart);
  // Whatever covered it may be gone.
  element.addEventListener('focus', look);
  return () => {
    observer.disconnect();
    element.removeEventListener('focus', caretToStart);
    element.removeEventListener('focus', look);
    element.removeEventListener('input', look);
    document.removeEventListener('scroll', look, { capture: true });
    element.removeEventListener('scroll', bringEnd);
  };
}

function isAtEnd(box: HTMLElement): boolean {
  return box.scrollHeight - box.clientHeight - box.scrollTop <= END_PX;
}

/** Not below the edge of what is around the box, nor covered. */
function isEndInSight(box: HTMLElement): boolean {
  const { left, width, bottom } = box.getBoundingClientRect();
  const shown = document.elementFromPoint(left + width / 2, bottom - END_PX);
  return shown !== null && box.contains(shown);
}

/** Keys scroll the box that has the focus and nothing around it, though its end may be below the edge. */
function bringEnd({ currentTarget: box }: Event): void {
  if (!(box instanceof HTMLElement) || document.activeElement !== box) return;
  if (isAtEnd(box) && !isEndInSight(box)) box.scrollIntoView({ block: 'end' });
}

/** A field begins with the caret at its end, out of sight: then the keys that lead to the end would not move it. */
function caretToStart({ target }: Event): void {
  if (!(target instanceof HTMLTextAreaElement) || target.scrollTop > 0) return;
  if (target.selectionStart === target.value.length) target.setSelectionRange(0, 0);
}

/** Whether an edit reaches the end of a text: whoever made it was there. A change before the end does not show the rest. */
export function isEndEdited(text: string, original: string): boolean {
  const end = (whole: string): string => whole.trimEnd().slice(-END_CHARS);
  return end(text) !== end(original);
}

function surelyFits(text: string): boolean {
  const { lines, characters } = lengthOf(text);
  return lines <= SURELY_FIT.lines && characters <= SURELY_FIT.characters;
}
