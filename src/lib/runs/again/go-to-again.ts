/** Where running again leads: to the new conversation, where the question waits. */
import type { App } from '#lib/app/app.svelte.ts';
import { openFork } from '#lib/parts/go-to-fork.ts';

/** Where it is refused, a toast says so. */
export async function runAgain({ again }: Pick<App, 'again'>, runId: string): Promise<void> {
  const id = await again.run(runId);
  if (id !== null) await openFork(id);
}
