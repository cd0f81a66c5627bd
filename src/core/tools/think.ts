/** A tool that does nothing: an agent puts its thoughts there before it acts, and the person sees them. */
import { z } from 'zod';
import { defineTool } from './tool.ts';
import { NO_PERMISSION } from './traits.ts';

const Input = z.strictObject({
  thought: z.string().min(1).describe('What you think, in your own words.'),
});

export const think = defineTool<z.infer<typeof Input>>({
  ...NO_PERMISSION,
  name: 'think',
  onlyNamed: true,
  order: 'concurrent',
  describe: () =>
    'Holds a thought, and does nothing else: it finds nothing out and changes nothing. ' +
    'Use it between calls where a result needs thinking over: what it means, what is missing, which rule applies, what to do next.',
  input: Input,
  execute: () => Promise.resolve({ status: 'completed', output: 'Noted.' }),
});
