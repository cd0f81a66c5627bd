/** What the tools have in common that only look at the workspace: every agent has them, and they can be run again. */
import { z } from 'zod';
import type { Tool } from './tool.ts';

export const READING = {
  permissions: ['FilesystemRead'],
  baseline: true,
  primaryOnly: false,
  order: 'concurrent',
  recovery: 'repeat',
} as const satisfies Partial<Tool>;

/** The folder that is looked at; left out, the whole workspace. */
export const FolderInput = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('The folder, relative to the workspace folder. Default: the workspace folder.'),
});
