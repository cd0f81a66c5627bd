/** What tools of one kind have in common. */
import { z } from 'zod';
import type { Tool } from './tool.ts';

/** Those that only look at the workspace: every agent has them, and they can be run again. */
export const READ_ONLY = {
  permissions: ['FilesystemRead'],
  baseline: true,
  primaryOnly: false,
  order: 'concurrent',
  recovery: 'repeat',
} as const satisfies Partial<Tool>;

/** Those that need no permission, because they touch nothing but the conversation and the agent's own things. */
export const NO_PERMISSION = {
  permissions: [],
  baseline: false,
  primaryOnly: false,
  recovery: 'repeat',
} as const satisfies Partial<Tool>;

/** Of searches: files that git ignores are mostly made by programs. */
export const INCLUDE_IGNORED = z.boolean().optional().describe('Include files that git ignores.');

/** The folder that is looked at; left out, the whole workspace. */
export const FolderInput = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('Folder, relative to the workspace folder. Default: that folder.'),
});
