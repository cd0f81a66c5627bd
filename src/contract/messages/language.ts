/** The languages that screens speak. With a message: that of the screen it was written on, in which only the demo answers. */
import { z } from 'zod';

export const Language = z.enum(['en', 'fr']);
export type Language = z.infer<typeof Language>;
