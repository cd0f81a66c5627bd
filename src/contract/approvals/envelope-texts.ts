/** The texts of an envelope that reach a model, in the order in which a question shows them. Pure. */
import type { Coagent, Envelope, ProjectInstruction, Stage } from '../agent.ts';
import type { SpawnItem, TextReading } from '../approval.ts';
import { servedBy, stationsOf } from '../flows/stations.ts';

export interface EnvelopeText {
  /** Unique in its envelope. */
  name: string;
  kind: 'prompt' | 'systemPrompt' | 'instruction' | 'criteria' | 'handoff';
  text: string;
  /** The agent whose model gets the text. */
  agent: Coagent;
  /** The agent that hands over, of a handoff; null for every other text. */
  handedOverBy: Stage | null;
  /** The file of an instruction; null for every other text. */
  instruction: ProjectInstruction | null;
}

/** Returns the texts of the run itself first, then those of the agents that work with it. An instruction appears once. */
export function envelopeTexts(envelope: Envelope): EnvelopeText[] {
  return [...runTexts(envelope), ...servedTexts(envelope)];
}

export function runTexts(envelope: Envelope): EnvelopeText[] {
  const prompt = textEntry('prompt', 'prompt', envelope.prompt, envelope);
  return [prompt, ...definitionTexts(envelope, '', envelope.instructions ?? [])];
}

export function servedTexts(envelope: Envelope): EnvelopeText[] {
  const shown = new Set((envelope.instructions ?? []).map(({ text }) => text));
  const stations = stationsOf(envelope);
  return servedBy(envelope).flatMap(({ key, agent, handoff }) => {
    const instructions = (agent.instructions ?? []).filter(({ text }) => !shown.has(text));
    for (const { text } of instructions) shown.add(text);
    const texts = definitionTexts(agent, `${key} `, instructions);
    if (!handoff) return texts;
    const handedOverBy = stations.find(({ flow }) => flow?.coagent === agent)?.agent ?? null;
    return [{ ...textEntry(`${key} handoff`, 'handoff', handoff.text, agent), handedOverBy }, ...texts];
  });
}

function definitionTexts(agent: Coagent, prefix: string, instructions: readonly ProjectInstruction[]): EnvelopeText[] {
  const { systemPrompt, reflection } = agent;
  return [
    textEntry(`${prefix}systemPrompt`, 'systemPrompt', systemPrompt, agent),
    ...instructions.map((instruction) => {
      const entry = textEntry(`${prefix}instruction ${instruction.path}`, 'instruction', instruction.text, agent);
      return { ...entry, instruction };
    }),
    ...(reflection?.criteria ? [textEntry(`${prefix}criteria`, 'criteria', reflection.criteria, agent)] : []),
  ];
}

function textEntry(name: string, kind: EnvelopeText['kind'], text: string, agent: Coagent): EnvelopeText {
  return { name, kind, text, agent, handedOverBy: null, instruction: null };
}

/** Returns what core decided about a text of a question; null if it decided nothing, which means that it must be read. */
export function findTextReading({ texts }: Pick<SpawnItem, 'texts'>, name: string): TextReading | null {
  return texts?.find((reading) => reading.name === name) ?? null;
}
