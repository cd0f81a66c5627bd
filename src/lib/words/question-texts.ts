/** The texts of a question that may be longer than their boxes, with what each is called. Pure. */
import type { Envelope } from '#contract/agent.ts';
import type { Question } from '#lib/view/phase.ts';
import { text } from './text.ts';

export interface QuestionText {
  /** Unique in its question, as its box has it. */
  name: string;
  label: string;
  text: string;
}

export function textsOf({ approval: { request }, spawn }: Question): QuestionText[] {
  if (spawn) return toldTexts(spawn.envelope);
  return [{ name: 'description', label: text.approval.description, text: text.said.description(request) }];
}

/** What wants to be done; of a sub-agent, what it is for. */
export function titleOfQuestion({ approval, spawn }: Pick<Question, 'approval' | 'spawn'>): string {
  return spawn?.title || text.said.title(approval.request);
}

/** All that a sub-agent itself is told, its prompt first. */
export function toldTexts({ prompt, systemPrompt, instructions = [], reflection }: Envelope): QuestionText[] {
  const words = text.decide;
  return [
    { name: 'prompt', label: words.told, text: prompt },
    { name: 'systemPrompt', label: words.systemPrompt, text: systemPrompt },
    ...instructions.map(({ path, cut, text: told }) => ({
      name: `instruction ${path}`,
      label: text.flow.instruction(path, cut === true),
      text: told,
    })),
    ...(reflection?.criteria
      ? [
          {
            name: 'criteria',
            label: words.criteria(text.review.tries(reflection.maxRetries)),
            text: reflection.criteria,
          },
        ]
      : []),
  ];
}
