/** The question of a tool that replaces a file, and a yes to it. */
import type { Approval, Preview } from '#contract/approval.ts';
import type { Question, Tool, ToolContext } from '#core/tools/tool.ts';

export interface Asked {
  question: Question;
  preview: Preview;
}

/** What a tool asks before it replaces a file. */
export async function askOf(tool: Tool, input: unknown, context: ToolContext): Promise<Asked> {
  const question = await tool.question!(tool.input.parse(input), context);
  if (question?.subject.kind !== 'tool' || !question.subject.preview) throw new Error('no preview');
  return { question, preview: question.subject.preview };
}

/** The question with a yes, as it was asked or with an edit. */
export function allowed({ question }: Pick<Asked, 'question'>, edited?: unknown): Approval {
  const at = new Date(0).toISOString();
  const ids = {
    id: 'a',
    conversationId: 'c',
    workflowId: 'w',
    runId: 'r',
    toolCallId: 't',
    agent: 'lead',
    chain: ['user', 'lead'],
  };
  const hash = 'hash' in question.subject ? question.subject.hash : '';
  return {
    request: { ...ids, ...question, options: [], remainingMs: 1, at },
    decisions: [
      {
        item: 0,
        outcome: edited ? 'edited' : 'selected',
        optionId: 'allow_once',
        allowed: true,
        decidedBy: 'person',
        ruleId: null,
        reason: null,
        hashBefore: hash,
        hashAfter: hash,
        at,
      },
    ],
  };
}
