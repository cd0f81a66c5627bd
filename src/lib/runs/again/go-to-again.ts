/** Runs a sub-agent again, and opens the fork with its question. */
import type { RunRow } from '#contract/view.ts';
import type { App } from '#lib/app/app.svelte.ts';
import { openFork } from '#lib/app/go-to-fork.ts';

/** Runs a sub-agent again. Shows a toast if that is refused. */
export async function runAgain({ forks }: Pick<App, 'forks'>, run: RunRow): Promise<void> {
  const id = await forks.runAgain(run);
  if (id !== null) await openFork(id);
}
