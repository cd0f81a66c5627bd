/** Where running again leads: to the new conversation, where the question waits. */
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import type { App } from '#lib/app/app.svelte.ts';

/** False where it was refused, which a toast says. */
export async function runAgain({ again }: Pick<App, 'again'>, runId: string): Promise<boolean> {
  const id = await again.run(runId);
  if (id === null) return false;
  await goto(resolve('/chat/[id]', { id }));
  return true;
}
