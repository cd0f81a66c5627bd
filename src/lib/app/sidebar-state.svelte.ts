/** Whether the sidebar shows; remembered, and closed to start with where there is little room. */
import { createContext } from 'svelte';

const KEY = 'triad-sidebar';
const WIDE_PX = 960;
/** Below this width it lies over the page. */
const NARROW_PX = 640;

export class SidebarState {
  open = $state(true);

  #narrow = false;

  constructor() {
    this.open = this.#remembered();
    this.handleResize();
  }

  /** The window has another width: what lay beside the page must not come to lie over it. */
  handleResize(): void {
    const narrow = innerWidth < NARROW_PX;
    if (narrow !== this.#narrow) this.open = !narrow && this.#remembered();
    this.#narrow = narrow;
  }

  toggle(): void {
    this.open = !this.open;
    if (innerWidth >= NARROW_PX) localStorage.setItem(KEY, this.open ? 'open' : 'closed');
  }

  #remembered(): boolean {
    const known = localStorage.getItem(KEY);
    return known === null ? innerWidth >= WIDE_PX : known === 'open';
  }

  /** Where it lies over the page it goes once it has led somewhere. */
  closeOverlay(): void {
    if (innerWidth < NARROW_PX) this.open = false;
  }
}

export const [getSidebar, setSidebar] = createContext<SidebarState>();
