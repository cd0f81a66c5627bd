/** The tool that moves or renames a file or a folder of the workspace. */
import { z } from 'zod';
import { askToRelocate, relocate, RELOCATES, relocationTargets } from './relocate.ts';
import { toToolResult } from './to-tool-result.ts';
import { defineTool, type Tool } from './tool.ts';

const NAME = 'move_file';

const Input = z.strictObject({
  from: z.string().min(1).max(4096).describe('The file or folder, relative to the workspace folder.'),
  to: z
    .string()
    .min(1)
    .max(4096)
    .describe(
      'Its whole new path, relative to the workspace folder. Missing folders are made. Nothing may be there yet.',
    ),
});

export function moveFileTool(): Tool {
  return defineTool<z.infer<typeof Input>>({
    ...RELOCATES,
    name: NAME,
    describe: () =>
      'Moves or renames a file or a folder of the workspace. A person must agree. ' +
      'Refused where something is at the new path, and for what git stores, holds keys or is very large.',
    input: Input,
    knownAs: ['rename_file', 'move', 'rename'],
    like: 'write_file',
    targets: (input, workspace) => relocationTargets(workspace, input),
    question: (input, context) => askToRelocate({ tool: NAME, input, asked: input }, context),
    execute: (input, context, approval) =>
      toToolResult(context, () => relocate({ tool: NAME, input, asked: input }, context, approval)),
  });
}
