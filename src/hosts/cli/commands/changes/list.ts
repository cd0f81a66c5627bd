/** `triad changes`: what agents changed in a folder, by run and file. */
import type { Client } from '#contract/rpc.ts';
import { runLines } from '../../render/change-text.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { isListWhole } from '../sessions/load-session.ts';
import { runsIn } from './find-runs.ts';

/** Runs that are listed without a limit. */
const SHOWN = 20;

/** The newest stands last. Without a limit, JSON lists everything. */
export async function listChanges(
  { screen, signal }: Io,
  client: Client,
  { folder, limit, json }: { folder: string; limit?: number; json?: boolean },
): Promise<void> {
  const { runs, more } = await runsIn(client, signal, folder, limit ?? (json ? Infinity : SHOWN));
  const isWhole = more || (await isListWhole(screen, client));
  if (json) return screen.data(`${JSON.stringify(runs, null, 2)}\n`);
  if (runs.length === 0) {
    if (isWhole) screen.note(`No agent has changed a file in ${visible(folder)}.`);
    return;
  }
  for (const [index, run] of runs.entries())
    for (const line of [...(index === 0 ? [] : ['']), ...runLines(run, screen.width, screen.dataStyle)])
      screen.data(`${line}\n`);
  if (more) screen.note(`Only the newest ${runs.length}: more with --limit.`);
  screen.note('Call by call: triad changes RUN. To undo what a run did: triad changes --undo RUN');
}
