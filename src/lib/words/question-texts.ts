/** The texts of a question that may have to be read before a yes, with their labels. Pure. */
import type { Envelope } from '#contract/agent.ts';
import type { ApprovalRequest } from '#contract/approval.ts';
import { type EnvelopeText, findTextReading, runTexts, servedTexts } from '#contract/approvals/envelope-texts.ts';
import { isSpawn } from '#contract/spawn-items.ts';
import type { Question } from '#lib/view/phase.ts';
import { text } from './text.ts';

export interface QuestionText {
  /** Unique in its question, as its box has it. */
  name: string;
  label: string;
  text: string;
  /** Must be on the screen, however short it is. */
  isStrict?: boolean;
}

/** Returns the texts that must be read. Of a sub-agent, core decided which; a text without its decision must be read. */
export function requiredTexts({ approval: { request }, spawn }: Question): QuestionText[] {
  if (spawn) {
    const all = [...labelRunTexts(spawn.envelope), ...labelServedTexts(spawn.envelope)];
    const required = all.filter(({ name }) => findTextReading(spawn, name)?.mustRead !== false);
    return required.map((one) => ({ ...one, isStrict: true }));
  }
  const description = text.said.description(request);
  return [{ name: 'description', label: text.approval.description, text: description }];
}

/** Returns whether a box of a question must be read to its end: all except the texts of a sub-agent that need no reading. */
export function mustReadBox({ spawn }: Pick<Question, 'spawn'>, name: string): boolean {
  return !spawn || findTextReading(spawn, name)?.mustRead !== false;
}

/** What wants to be done; of a sub-agent, what it is for. */
export function titleOfQuestion({ approval, spawn }: Pick<Question, 'approval' | 'spawn'>): string {
  return spawn?.title || text.said.title(approval.request);
}

/** Labels the texts of the run itself, its prompt first. */
export function labelRunTexts(envelope: Envelope): QuestionText[] {
  return runTexts(envelope).map((entry) => ({ name: entry.name, label: labelText(entry), text: entry.text }));
}

/** Labels the texts of the agents that work with it: a yes to the run is a yes to each of them. */
export function labelServedTexts(envelope: Envelope): QuestionText[] {
  return servedTexts(envelope).map((entry) => {
    const label = labelText(entry);
    const { name, kind, agent } = entry;
    return { name, label: kind === 'handoff' ? label : text.approval.unseenOf(agent.agent, label), text: entry.text };
  });
}

function labelText({ kind, agent, instruction }: EnvelopeText): string {
  const words = text.decide;
  switch (kind) {
    case 'prompt':
      return words.told;
    case 'systemPrompt':
      return words.systemPrompt;
    case 'instruction':
      return text.flow.instruction(instruction?.path ?? '', instruction?.cut === true);
    case 'criteria':
      return words.criteria(text.review.tries(agent.reflection?.maxRetries ?? 0));
    case 'handoff':
      return text.flow.told(agent.agent);
  }
}

/** The line that stands for a text which needs no reading: its source, and that it is unchanged. Null if it must be read. */
export function summarizeText(spawn: NonNullable<Question['spawn']>, { name, label }: QuestionText): string | null {
  const reading = findTextReading(spawn, name);
  if (!reading || reading.mustRead) return null;
  const words = text.decide.unchanged;
  const entry = [...runTexts(spawn.envelope), ...servedTexts(spawn.envelope)].find((one) => one.name === name);
  if (reading.allowedBefore || reading.source === 'agent' || !entry) return words.allowedBefore(label);
  if (entry.kind !== 'systemPrompt') return words.text[reading.source](label);
  const { agent, definitionHash } = entry.agent;
  return definitionHash === null ? words.temporary : words.prompt[reading.source](agent);
}

/** Why a question about the start of sub-agents offers no yes for more than once; null where it does, or is about another thing. */
export function onceWords({ subject, grant }: Pick<ApprovalRequest, 'subject' | 'grant'>): string | null {
  if (!isSpawn(subject) || grant || subject.operation === 'delegate') return null;
  return text.decide.once[subject.operation];
}
