/** Whether the packaged desktop looks for updates of itself. */
import { z } from 'zod';

export const UpdateSettings = z
  .strictObject({
    check: z
      .boolean()
      .default(true)
      .describe(
        'Whether the packaged desktop app looks for updates, at its start and every 4 hours. Off: it asks nobody. Nothing is put in place while a workflow runs, nor, where the history is on this machine, without a backup.',
      ),
  })
  .prefault({});
