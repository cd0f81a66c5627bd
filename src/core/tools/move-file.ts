/** The tool that moves or renames a file or a folder of the workspace. */
import { z } from 'zod';
import { askToRelocate, relocate, RELOCATES, relocationTargets } from './relocate.ts';
import { toToolResult } from './to-tool-result.ts';
import { defineTool, type Tool } from './tool.ts';

const NAME = 'move_file';

const Input = z.strictObject({
  from: z.string().min(1).max(4096).describe('File or folder, relative to the workspace folder.'),
  to: z
    .string()
    .min(1)
    .max(4096)
    .describe('The new path, relative to the workspace folder. Missing folders are created.'),
});

export function moveFileTool(): Tool {
  return defineTool<z.infer<typeof Input>>({
    ...RELOCATES,
    name: NAME,
    describe: () =>
      'Moves or renames a file or folder of the workspace. The person approves it. Refuses an existing target, .git, files with keys and very large folders.',
    input: Input,
    knownAs: ['rename_file', 'move', 'rename'],
    like: 'write_file',
    targets: (input, workspace) => relocationTargets(workspace, input),
    question: (input, context) => askToRelocate({ tool: NAME, input, asked: input }, context),
    execute: (input, context, approval) =>
      toToolResult(context, () => relocate({ tool: NAME, input, asked: input }, context, approval)),
  });
}
