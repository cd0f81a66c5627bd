/** The texts of a question that may be longer than their boxes, with what each is called. Pure. */
import type { Question } from '#lib/view/phase.ts';
import { text } from './text.ts';

/** Names as the forms of the question give them. */
export function textsOf({ approval: { request }, spawn }: Question): { name: string; label: string; text: string }[] {
  const words = text.approval;
  const description = { name: 'description', label: words.description, text: request.description };
  if (!spawn) return [description];
  const { prompt, systemPrompt, reflection } = spawn.envelope;
  return [
    description,
    { name: 'prompt', label: words.prompt, text: prompt },
    { name: 'systemPrompt', label: words.systemPrompt, text: systemPrompt },
    { name: 'facts', label: words.facts, text: reflection?.criteria ?? '' },
  ];
}
