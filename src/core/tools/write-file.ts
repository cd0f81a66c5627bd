/** The tool that writes a whole text file in the workspace, after a person saw the difference. */
import { z } from 'zod';
import { type Replacement, replacingTool } from './replace-file.ts';
import type { Tool } from './tool.ts';

const NAME = 'write_file';
const MAX_CHARS = 4_000_000;

const Input = z.strictObject({
  path: z.string().min(1).max(4096).describe('The file, relative to the workspace folder. Missing folders are made.'),
  content: z.string().max(MAX_CHARS).describe('The whole new content of the file, exactly as it is to be written.'),
});
type Input = z.infer<typeof Input>;

export function writeFileTool(): Tool {
  return replacingTool<Input>(
    {
      name: NAME,
      describe: () =>
        'Writes a text file of the workspace: makes it, or replaces all of its content. A person is shown the difference and must agree. ' +
        'Read an existing file first and give its complete new content. Returns the numbers of added and removed lines. ' +
        'Files that hold keys or passwords are refused, and one that has changed since you read it.',
      input: Input,
      like: 'edit_file',
      sample: { input: { content: '' } },
    },
    asReplacement,
  );
}

function asReplacement(input: Input): Replacement<Input> {
  return { tool: NAME, input, verb: ['write', 'Wrote'], content: () => ({ text: input.content }) };
}
