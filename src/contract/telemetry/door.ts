/** The doors that a person's message comes through: the desktop and the browser, the command line, an editor. */
import { z } from 'zod';

export const Door = z.enum(['app', 'cli', 'acp']);
export type Door = z.infer<typeof Door>;
