/** A new conversation in a folder: its page, with the focus in the message box. */
import { tick } from 'svelte';
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import type { App } from './app.svelte.ts';

/** `folder`: null for the one of the settings. */
export async function beginIn(app: Pick<App, 'nextFolder' | 'focusBox'>, folder: string | null): Promise<void> {
  app.nextFolder = folder;
  await goto(resolve('/'));
  // After the box is there.
  await tick();
  app.focusBox();
}
