/** One method of the bridge: what it takes and what it answers. */
import { z } from 'zod';

export const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output });
export const nothing = z.strictObject({});

/** Defaults to the folder for new conversations where it may be left out. */
export const folder = z.string().min(1).max(4096);
export const inFolder = z.strictObject({ folder: folder.optional() });
