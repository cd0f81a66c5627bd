/**
 * The state of the sidebar: open, or folded to a column of icons. The person's choice is stored in local storage. In a
 * narrow window the open sidebar overlays the page, and is closed at first.
 */
import { createContext, untrack } from 'svelte';

const KEY = 'triad-sidebar';
const WIDE_PX = 960;
/** Up to this width it overlays the page. */
const NARROW_PX = 800;
/** Below this width of the window, lanes fit side by side only next to a folded sidebar. */
const LANES_PX = 1180;

export class SidebarState {
  #width = $state(innerWidth);
  /** The person's choice, or the default for this window. */
  #chosenOpen = $state(true);
  #overlayOpen = $state(false);
  /** Number of stages whose lanes need the width of the sidebar. */
  #stages = $state(0);
  /** The person opened the sidebar after it folded for lanes. It does not fold for lanes again before they fold it. */
  #staysOpen = $state(false);
  /** A text field in the sidebar has the focus. The sidebar does not fold by itself then. */
  isTypedIn = $state(false);
  readonly narrow = $derived(this.#width <= NARROW_PX);
  readonly #isFoldedForLanes = $derived(
    this.#width < LANES_PX && this.#stages > 0 && !this.#staysOpen && !this.isTypedIn,
  );
  readonly open = $derived(this.narrow ? this.#overlayOpen : this.#chosenOpen && !this.#isFoldedForLanes);

  constructor() {
    this.#chosenOpen = this.#remembered();
  }

  /** Call when the window was resized: an open sidebar closes where it would overlay the page. */
  handleResize(): void {
    const wasNarrow = this.narrow;
    this.#width = innerWidth;
    if (this.narrow === wasNarrow) return;
    this.#overlayOpen = false;
    if (wasNarrow) this.#chosenOpen = this.#remembered();
  }

  toggle(): void {
    const open = !this.open;
    this.isTypedIn = false;
    if (this.narrow) {
      this.#overlayOpen = open;
      return;
    }
    this.#staysOpen = open && this.#isFoldedForLanes;
    this.#chosenOpen = open;
    localStorage.setItem(KEY, open ? 'open' : 'closed');
  }

  /** Opens it, as for something in it. */
  show(): void {
    if (!this.open) this.toggle();
  }

  /** Folds the sidebar in a window below 1,180 px, unless the person opened it over lanes. Returns the release. */
  foldForLanes(): () => void {
    const add = (count: number): void => untrack(() => void (this.#stages += count));
    add(1);
    return () => add(-1);
  }

  #remembered(): boolean {
    const known = localStorage.getItem(KEY);
    return known === null ? innerWidth >= WIDE_PX : known === 'open';
  }

  /** Closes it after a navigation where it overlays the page. */
  closeOverlay(): void {
    if (this.narrow) this.#overlayOpen = false;
  }
}

export const [getSidebar, setSidebar] = createContext<SidebarState>();
