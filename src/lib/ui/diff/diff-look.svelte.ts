/** How every diff of this device looks: whether lines break, and whether both sides stand beside each other; kept in local storage. */
import { createContext } from 'svelte';

const KEY = 'triad-diffs';

export class DiffLook {
  wraps = $state(true);
  besides = $state(false);

  constructor() {
    const kept = localStorage.getItem(KEY)?.split(' ');
    if (kept === undefined) return;
    this.wraps = kept.includes('wraps');
    this.besides = kept.includes('besides');
  }

  toggle(one: 'wraps' | 'besides'): void {
    this[one] = !this[one];
    localStorage.setItem(KEY, [...(this.wraps ? ['wraps'] : []), ...(this.besides ? ['besides'] : [])].join(' '));
  }
}

export const [getDiffLook, setDiffLook] = createContext<DiffLook>();
