/** What can be done with a message, as buttons; and what those of an answer do. */
import type { Component } from 'svelte';
import type { WorkflowRow } from '#contract/view.ts';
import type { App } from '#lib/app/app.svelte.ts';
import { openFork, resend } from '#lib/app/go-to-fork.ts';

export interface TurnAction {
  key: string;
  name: string;
  /** Says more than the name; left out where that says all. */
  hint?: string | undefined;
  icon: Component<{ class?: string; 'aria-hidden'?: 'true' }>;
  disabled?: boolean;
  act: () => Promise<void> | void;
}

export async function forkAfter(app: App, workflow: WorkflowRow): Promise<void> {
  const id = await app.forks.fork(workflow, 'after');
  if (id !== null) await openFork(id);
}

export async function sendAgain(app: App, workflow: WorkflowRow): Promise<void> {
  await resend(app, workflow, workflow.prompt);
}
