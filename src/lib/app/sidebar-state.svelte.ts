/** Whether the sidebar is open; remembered in local storage, and closed at first in a narrow window. */
import { createContext } from 'svelte';

const KEY = 'triad-sidebar';
const WIDE_PX = 960;
/** Below this width it overlays the page. */
const NARROW_PX = 640;

export class SidebarState {
  open = $state(true);

  #narrow = false;

  constructor() {
    this.open = this.#remembered();
    this.handleResize();
  }

  /** Call when the window was resized: an open sidebar closes where it would overlay the page. */
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

  /** Closes it after a navigation where it overlays the page. */
  closeOverlay(): void {
    if (innerWidth < NARROW_PX) this.open = false;
  }
}

export const [getSidebar, setSidebar] = createContext<SidebarState>();
