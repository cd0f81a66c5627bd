/** The tools with which an agent keeps a plan that the person sees. */
import { z } from 'zod';
import { MAX_PLAN_ITEMS } from '#contract/limits.ts';
import { PlanItem } from '#contract/message.ts';
import { toToolResult } from './to-tool-result.ts';
import { defineTool } from './tool.ts';
import { NO_PERMISSION } from './traits.ts';

const common = { ...NO_PERMISSION, order: 'serial' } as const;

const Items = z.strictObject({
  items: z
    .array(z.strictObject({ ...PlanItem.shape, priority: PlanItem.shape.priority.default('medium') }))
    .max(MAX_PLAN_ITEMS)
    .describe(`The whole plan, at most ${MAX_PLAN_ITEMS} steps; it replaces the last one.`),
});

export const todoWrite = defineTool<z.infer<typeof Items>>({
  ...common,
  name: 'todo_write',
  changesState: true,
  describe: () =>
    'Writes your plan, which the person sees. Use it for work of three steps or more, and write it again when a step starts or is done.',
  input: Items,
  execute: ({ items }, context) =>
    toToolResult(context, async () => {
      await context.plan.write(items);
      const done = items.filter(({ status }) => status === 'completed').length;
      return {
        status: 'completed',
        output: `The plan is written: ${done} of ${items.length} steps are completed.`,
        metadata: { steps: items.length, completed: done },
      };
    }),
});

export const todoRead = defineTool<Record<string, never>>({
  ...common,
  name: 'todo_read',
  describe: () => 'Returns your plan as JSON.',
  input: z.strictObject({}),
  execute: (_, context) => {
    return Promise.resolve({ status: 'completed', output: JSON.stringify(context.plan.read()) });
  },
});
