/** The tool with which an agent asks the person before it goes on; a yes is words, and allows no tool call by itself. */
import { z } from 'zod';
import { phrase } from '#contract/approvals/phrases.ts';
import { canonicalHash } from '../base/hash.ts';
import { defineTool } from './tool.ts';
import { NO_PERMISSION } from './traits.ts';
import { asked } from './asked.ts';

const Input = z.strictObject({
  action: z.string().trim().min(1).max(10_000).describe('What you are about to do, in one or two sentences.'),
  reason: z.string().trim().min(1).max(10_000).describe('Why it is needed.'),
  impact: z.string().trim().max(10_000).optional().describe('What it changes, and for whom, as far as you know.'),
  reversible: z
    .boolean()
    .default(true)
    .describe('False where it cannot be undone: then the person confirms it in a second step.'),
});

export const requestApproval = defineTool<z.output<typeof Input>>({
  ...NO_PERMISSION,
  name: 'request_approval',
  describe: () =>
    'Asks the person to approve a step that your task does not clearly cover: costly, far-reaching or hard to undo. ' +
    'Do not use it for tool calls: those that need approval ask by themselves.',
  input: Input,
  order: 'concurrent',
  question: (input, { workspace }) => {
    const { action, reason, impact = null, reversible } = input;
    return Promise.resolve({
      ...asked(phrase('go_on', { action: firstLine(action) }), []),
      subject: {
        kind: 'action',
        action,
        reason,
        impact,
        folder: workspace.folder,
        input,
        hash: canonicalHash({ tool: 'request_approval', input }),
      },
      risk: reversible ? 'medium' : 'high',
      reversible,
    });
  },
  execute: ({ action }, _, approval) => {
    const decision = approval?.decisions[0];
    const output =
      decision?.outcome === 'edited'
        ? `The person allows this instead of what you asked for; do exactly this:\n\n${action}`
        : 'Approved: go on.';
    return Promise.resolve({
      status: 'completed',
      output,
      metadata: { decidedBy: decision?.decidedBy ?? 'rule' },
    });
  },
});

const TITLE_CHARS = 80;

function firstLine(action: string): string {
  const [line = ''] = action.split('\n');
  const points = [...line];
  return points.length > TITLE_CHARS ? `${points.slice(0, TITLE_CHARS - 1).join('')}…` : line;
}
