/** The tool with which an agent says that it is done: its summary becomes its answer, and it is asked for no other. */
import { z } from 'zod';
import { defineTool } from './tool.ts';
import { NO_PERMISSION } from './traits.ts';

const Input = z.strictObject({
  summary: z
    .string()
    .refine((text) => text.trim() !== '', 'must not be empty')
    .describe('Your whole answer or report, in Markdown: all that is read of your work.'),
});

export const taskComplete = defineTool<z.infer<typeof Input>>({
  ...NO_PERMISSION,
  name: 'task_complete',
  onlyNamed: true,
  order: 'serial',
  describe: () =>
    'Ends your work with your answer. Call it alone, once all of the task is done and checked, in place of a last message: nothing that you would say after it is asked for.',
  input: Input,
  // Where others are still at work, or the answer is reviewed, the run goes on all the same.
  execute: ({ summary }) =>
    Promise.resolve({ status: 'completed', output: 'Your summary is your answer.', metadata: { answer: summary } }),
});
