/** The tool that writes a whole text file in the workspace, after a person saw the difference. */
import { z } from 'zod';
import { type Replacement, replacingTool } from './replace-file.ts';
import type { Tool } from './tool.ts';

const NAME = 'write_file';
const MAX_CHARS = 4_000_000;

const Input = z.strictObject({
  path: z.string().min(1).max(4096).describe('File, relative to the workspace folder. Missing folders are created.'),
  content: z.string().max(MAX_CHARS).describe('The whole new content.'),
});
type Input = z.infer<typeof Input>;

export function writeFileTool(): Tool {
  return replacingTool<Input>(
    {
      name: NAME,
      describe: () =>
        'Creates a text file of the workspace, or replaces its whole content. The person approves the diff. Read an existing file first. ' +
        'Refuses files with keys or passwords, and a file that changed since you read it.',
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
