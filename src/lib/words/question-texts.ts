/** The texts of a question that may be longer than their boxes, with what each is called. Pure. */
import type { Coagent, Envelope } from '#contract/agent.ts';
import type { ApprovalRequest } from '#contract/approval.ts';
import { isSpawn } from '#contract/spawn-items.ts';
import type { Question } from '#lib/view/phase.ts';
import { servedBy } from '#lib/view/stations.ts';
import { text } from './text.ts';

export interface QuestionText {
  /** Unique in its question, as its box has it. */
  name: string;
  label: string;
  text: string;
}

export function textsOf({ approval: { request }, spawn }: Question): QuestionText[] {
  if (spawn) return [...toldTexts(spawn.envelope), ...servedTexts(spawn.envelope)];
  return [{ name: 'description', label: text.approval.description, text: text.said.description(request) }];
}

/** What wants to be done; of a sub-agent, what it is for. */
export function titleOfQuestion({ approval, spawn }: Pick<Question, 'approval' | 'spawn'>): string {
  return spawn?.title || text.said.title(approval.request);
}

/** All that a sub-agent itself is told, its prompt first. */
export function toldTexts(envelope: Envelope): QuestionText[] {
  return [{ name: 'prompt', label: text.decide.told, text: envelope.prompt }, ...definedTexts(envelope)];
}

/** What those that serve it are told, a yes to it being one to all of them; project instructions that it is told too stand there. */
export function servedTexts(envelope: Envelope): QuestionText[] {
  const told = new Set((envelope.instructions ?? []).map((one) => one.text));
  return servedBy(envelope).flatMap(({ key, agent, handoff }) => {
    const instructions = (agent.instructions ?? []).filter((one) => !told.has(one.text));
    for (const one of instructions) told.add(one.text);
    const texts = [
      ...(handoff ? [{ name: 'handoff', label: text.flow.told(agent.agent), text: handoff.text }] : []),
      ...definedTexts({ ...agent, instructions }),
    ];
    return texts.map(({ name, label, text: own }) => ({
      name: `${key} ${name}`,
      label: name === 'handoff' ? label : text.approval.unseenOf(agent.agent, label),
      text: own,
    }));
  });
}

/** What stands in files, whoever starts it. */
function definedTexts({ systemPrompt, instructions = [], reflection }: Coagent): QuestionText[] {
  const words = text.decide;
  return [
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

/** Why a question about the start of sub-agents offers no yes for more than once; null where it does, or is about another thing. */
export function onceWords({ subject, grant }: Pick<ApprovalRequest, 'subject' | 'grant'>): string | null {
  if (!isSpawn(subject) || grant || subject.operation === 'delegate') return null;
  return text.decide.once[subject.operation];
}
