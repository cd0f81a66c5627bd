/** Settings of the sandbox in which agents run commands. */
import { z } from 'zod';

/** Absolute, or in the home folder. */
const OutsidePath = z
  .string()
  .max(4096)
  .regex(/^(\/|~\/)[^\0]*$/, 'must be an absolute path, or begin with "~/"');

const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable');

export const SandboxSettings = z
  .strictObject({
    readable: z.array(OutsidePath).max(100).default([]),
    env: z.record(VariableName, z.string().max(10_000)).default({}),
    unix_sockets: z
      .boolean()
      .default(false)
      .describe(
        'Commands with the network may use Unix sockets, which some development servers need. Through them they also reach other programs of this machine.',
      ),
  })
  .prefault({});
export type SandboxSettings = z.infer<typeof SandboxSettings>;

export const DEFAULT_SANDBOX = SandboxSettings.parse(undefined);
