/** What a person marks as secret, so that it is left out of all that leaves the program. */
import { z } from 'zod';
import { linearFault } from '../base/linear-pattern.ts';

const SecretPattern = z
  .string()
  .min(1)
  .superRefine((source, context) => {
    const fault = linearFault(source);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  });
const VariableName = z.string().regex(/^[A-Za-z_]\w{0,199}$/, 'is not the name of a variable of the environment');

export const RedactSettings = z
  .strictObject({
    patterns: z.array(SecretPattern).max(100).default([]),
    env: z.array(VariableName).max(100).default([]),
  })
  .prefault({});
