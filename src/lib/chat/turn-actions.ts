/** What can be done with a message, as buttons. */
import type { Component } from 'svelte';
import { text } from '#lib/words/text.ts';
import type { Toasts } from '#lib/ui/toasts.ts';

export interface TurnAction {
  key: string;
  name: string;
  /** Says more than the name; left out where that says all. */
  hint?: string;
  icon: Component<{ class?: string; 'aria-hidden'?: 'true' }>;
  disabled?: boolean;
  act: () => Promise<void> | void;
}

/** Copies a text, and says so. */
export async function copyText(toasts: Toasts, value: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(value);
    toasts.info(text.turn.copied);
  } catch {
    toasts.error(text.chat.notCopied);
  }
}
