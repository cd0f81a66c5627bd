/** What a person sets about the desktop around the pages. */
import { z } from 'zod';

export const DesktopChoices = z.object({
  /** An icon beside the clock of the system; `auto`: where that is usual. */
  tray: z.enum(['auto', 'on', 'off']),
  /** The machine does not go to sleep while a workflow runs. */
  keepAwake: z.boolean(),
  /** Keys that lead to a new conversation from any program, as Electron writes them; null for none. */
  quickEntry: z.string().nullable(),
  /** `system`: with dictionaries that are there; `download`: those that are not are fetched. */
  spellCheck: z.enum(['off', 'system', 'download']),
});
export type DesktopChoices = z.infer<typeof DesktopChoices>;

/** Of a runtime that does not say. */
export const USUAL_CHOICES: DesktopChoices = { tray: 'auto', keepAwake: true, quickEntry: null, spellCheck: 'system' };
