/**
 * Keeps the focus on the page. A control that had it and vanishes, or cannot be used for a while, hands it to what takes its
 * place (`focus-place.ts`); after a change of the page its beginning has it. What has the focus for good reasons keeps it.
 */
import { around, beginning, canFocus, type Gap, heirOf } from './focus-place.ts';

/** Shown above the page for a while: what it was opened from has the focus again. */
const LAYER = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox], [data-sonner-toaster]';
/** So many places are remembered: each layer above another needs one. */
const REMEMBERED = 8;

interface Holder {
  element: HTMLElement;
  /** Where it stood; null while it is on the page. */
  gap: Gap | null;
}

export class FocusKeeper {
  /** What had the focus, the newest last. */
  readonly #trail: Holder[] = [];
  /** What cannot be used for a while: it has the focus again once it can be, if nothing else was chosen since. */
  #busy: Holder | null = null;
  /** Stands in for what is busy. */
  #substitute: HTMLElement | null = null;
  /** The person left what had the focus for none. */
  #left = false;
  #isDue = false;
  #isKeyDown = false;
  /** A key that is held down goes on for what it was meant for alone. */
  #swallows = false;

  /** For the document's element. Returns how it ends. */
  watch(page: Document): () => void {
    const observer = new MutationObserver((records) => this.#look(records));
    observer.observe(page.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled', 'hidden'],
    });
    const listens = new AbortController();
    const options = { capture: true, signal: listens.signal };
    page.addEventListener('focusin', ({ target }) => this.#take(target), options);
    page.addEventListener('focusout', (event) => this.#lose(event, observer), options);
    page.addEventListener('pointerdown', () => (this.#isDue = false), options);
    page.addEventListener('keydown', (event) => this.#press(event), options);
    page.addEventListener('keyup', () => (this.#isKeyDown = this.#swallows = false), options);
    return () => {
      observer.disconnect();
      listens.abort();
    };
  }

  /** After a change of the page: `isSame`: of what it shows only. */
  enter(isSame: boolean): void {
    if (!isNowhere()) return;
    const last = this.#trail.at(-1);
    if (isSame && last?.element.isConnected && canFocus(last.element)) this.#give(last.element);
    else this.#give(beginning(document));
  }

  #take(target: EventTarget | null): void {
    if (!(target instanceof HTMLElement)) return;
    this.#left = false;
    if (target !== this.#substitute) this.#busy = this.#substitute = null;
    const at = this.#trail.findIndex(({ element }) => element === target);
    if (at >= 0) this.#trail.splice(at, 1);
    this.#trail.push({ element: target, gap: null });
    if (this.#trail.length > REMEMBERED) this.#trail.shift();
  }

  /** It may lose the focus because it is removed or moved: that is known only after. */
  #lose({ target, relatedTarget }: FocusEvent, observer: MutationObserver): void {
    if (relatedTarget !== null || !(target instanceof HTMLElement)) return;
    queueMicrotask(() => {
      const records = observer.takeRecords();
      if (records.length > 0) this.#look(records);
      if (this.#isDue) return;
      if (isNowhere() && target.isConnected && canFocus(target)) this.#left = true;
      else this.#plan();
    });
  }

  #press(event: KeyboardEvent): void {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    if (!event.repeat) this.#isKeyDown = true;
    else if (this.#swallows) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  #look(records: readonly MutationRecord[]): void {
    const last = this.#trail.at(-1);
    if (last === undefined) return;
    const holders = this.#busy ? [...this.#trail, this.#busy] : this.#trail;
    for (const record of records)
      if (record.removedNodes.length > 0) for (const holder of holders) follow(holder, record);
    // To ask whether it is shown costs a layout, and texts grow many times a second beside what has the focus.
    const isHeld = document.activeElement === last.element && records.every(({ type }) => type === 'childList');
    const isHidden = !isHeld && !canFocus(last.element);
    // An element that is moved loses the focus, although it is still on the page.
    const isMoved = isNowhere() && records.some((record) => hasRemoved(record, last.element));
    if (this.#busy || !last.element.isConnected || isHidden || isMoved) this.#plan();
  }

  /** After everything that happens at once, when it is known what took the place. */
  #plan(): void {
    if (this.#isDue || this.#left) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      if (!this.#isDue) return;
      this.#isDue = false;
      this.#hand();
    });
  }

  #hand(): void {
    const last = this.#trail.at(-1);
    if (last === undefined) return;
    if (this.#busy) {
      // Whoever chose something else meanwhile keeps it.
      if (document.activeElement !== this.#substitute && !isNowhere()) return;
      const { element, gap } = this.#busy;
      if (element.isConnected && !canFocus(element)) return;
      this.#busy = null;
      this.#give(element.isConnected ? element : gap && heirOf(gap));
      return;
    }
    if (!isNowhere() && document.activeElement !== last.element) return;
    if (!last.element.isConnected) this.#give(this.#heir());
    else if (canFocus(last.element)) this.#give(last.element);
    else this.#standIn(last);
  }

  #standIn(holder: Holder): void {
    const substitute = holder.element.parentElement && around(holder.element.parentElement);
    // The message box is no substitute: while a person types in it, a button that is enabled must not take the focus.
    if (substitute === null) return this.#give(beginning(document));
    this.#substitute = substitute;
    this.#busy = holder;
    this.#give(substitute);
  }

  /** Of a layer what it was opened from, or what took the place of that. */
  #heir(): HTMLElement | null {
    let layer: Element | null = null;
    for (const { element, gap } of this.#trail.toReversed()) {
      if (layer?.contains(element)) continue;
      if (element.isConnected && canFocus(element) && layer !== null) return element;
      const closed = element.closest(LAYER);
      if (closed !== null && !closed.isConnected) layer = closed;
      const heir = gap && heirOf(gap);
      if (heir !== null && (closed === null || closed.isConnected)) return heir;
      if (layer === null) break;
    }
    return beginning(document);
  }

  #give(element: HTMLElement | null): void {
    const target = element ?? beginning(document);
    if (target === null || target === document.activeElement) return;
    this.#swallows = this.#isKeyDown;
    const isMadeFocusable = target.tabIndex < 0 && !target.hasAttribute('tabindex');
    if (isMadeFocusable) {
      target.tabIndex = -1;
      // Or a click anywhere in it would give it the focus.
      target.addEventListener('blur', () => target.removeAttribute('tabindex'), { once: true });
    }
    target.focus({ preventScroll: true });
  }
}

/** Keeps where a holder stood, also when what is around it goes after it. */
function follow(holder: Holder, { target, removedNodes, previousSibling, nextSibling }: MutationRecord): void {
  // What was only moved stands where it is.
  if (holder.element.isConnected) holder.gap = null;
  for (const node of removedNodes) {
    const { element, gap } = holder;
    if (gap === null ? node.contains(element) : node.contains(gap.parent))
      holder.gap = { parent: target, before: previousSibling, after: nextSibling };
    else if (gap?.before === node) holder.gap = { ...gap, before: previousSibling };
    else if (gap?.after === node) holder.gap = { ...gap, after: nextSibling };
  }
}

function hasRemoved({ removedNodes }: MutationRecord, element: Element): boolean {
  return [...removedNodes].some((node) => node.contains(element));
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
