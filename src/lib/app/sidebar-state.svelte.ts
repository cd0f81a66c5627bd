/**
 * Whether the sidebar is open; remembered in local storage. Where it is not, its icons stay; in a narrow window it
 * overlays the page, and is closed at first.
 */
import { createContext } from 'svelte';

const KEY = 'triad-sidebar';
const WIDE_PX = 960;
/** Up to this width it overlays the page. */
const NARROW_PX = 800;

export class SidebarState {
  open = $state(true);
  narrow = $state(false);

  constructor() {
    this.narrow = innerWidth <= NARROW_PX;
    this.open = !this.narrow && this.#remembered();
  }

  /** Call when the window was resized: an open sidebar closes where it would overlay the page. */
  handleResize(): void {
    const narrow = innerWidth <= NARROW_PX;
    if (narrow !== this.narrow) this.open = !narrow && this.#remembered();
    this.narrow = narrow;
  }

  toggle(): void {
    this.open = !this.open;
    if (!this.narrow) localStorage.setItem(KEY, this.open ? 'open' : 'closed');
  }

  /** Opens it, as for something in it. */
  show(): void {
    if (!this.open) this.toggle();
  }

  #remembered(): boolean {
    const known = localStorage.getItem(KEY);
    return known === null ? innerWidth >= WIDE_PX : known === 'open';
  }

  /** Closes it after a navigation where it overlays the page. */
  closeOverlay(): void {
    if (this.narrow) this.open = false;
  }
}

export const [getSidebar, setSidebar] = createContext<SidebarState>();
