/** One method of the bridge: what it takes and what it answers. */
import { z } from 'zod';

export const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output });
export const nothing = z.strictObject({});

export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: z.string().nullable() });
/** `before` is the `next` cursor of the previous page; pages are newest first. */
export const paging = { before: z.string().max(256).optional(), limit: z.int().min(1).max(200).default(50) };

/** Defaults to the folder for new conversations where it may be left out. */
export const folder = z.string().min(1).max(4096);
export const inFolder = z.strictObject({ folder: folder.optional() });
