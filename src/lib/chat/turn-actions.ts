/** What can be done with a message, as buttons. */
import type { Component } from 'svelte';

export interface TurnAction {
  key: string;
  name: string;
  /** Says more than the name; left out where that says all. */
  hint?: string;
  icon: Component<{ class?: string; 'aria-hidden'?: 'true' }>;
  disabled?: boolean;
  act: () => Promise<void> | void;
}
