/** Whether the sidebar shows; remembered, and closed to start with where there is little room. */
import { createContext } from 'svelte';

const KEY = 'triad-sidebar';
const ROOMY_PX = 960;

export class Sidebar {
  open = $state(true);

  constructor() {
    const known = localStorage.getItem(KEY);
    this.open = known === null ? innerWidth >= ROOMY_PX : known === 'open';
  }

  toggle(): void {
    this.open = !this.open;
    localStorage.setItem(KEY, this.open ? 'open' : 'closed');
  }
}

export const [getSidebar, setSidebar] = createContext<Sidebar>();
