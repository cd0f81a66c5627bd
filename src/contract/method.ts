/** One method of the bridge: what it takes and what it answers. */
import { z } from 'zod';

export const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output });
export const nothing = z.strictObject({});
