/** The tool that deletes a file or a folder of the workspace; a person can put it back. */
import { z } from 'zod';
import { askToRelocate, relocate, RELOCATES, relocationTargets } from './relocate.ts';
import { toToolResult } from './to-tool-result.ts';
import { defineTool, type Tool } from './tool.ts';

const NAME = 'delete_file';

const Input = z.strictObject({
  path: z.string().min(1).max(4096).describe('File, link or folder, relative to the workspace folder.'),
});
type Input = z.infer<typeof Input>;

export function deleteFileTool(): Tool {
  return defineTool<Input>({
    ...RELOCATES,
    name: NAME,
    describe: () =>
      'Deletes a file, a link or a folder with its content. The person approves it and can restore it. Refuses .git, files with keys and very large folders.',
    input: Input,
    knownAs: ['remove_file', 'delete', 'remove', 'rm'],
    like: 'write_file',
    targets: ({ path }, workspace) => relocationTargets(workspace, { from: path, to: null }),
    question: (input, context) => askToRelocate(deletion(input), context),
    execute: (input, context, approval) => toToolResult(context, () => relocate(deletion(input), context, approval)),
  });
}

const deletion = (input: Input) => ({ tool: NAME, input: { from: input.path, to: null }, asked: input });
