/** What is wrong with the agents that a composition names, and what its coagent will not get of them. */
import type { AgentDefinition, Fault } from '#contract/agent.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { fault } from '../entries.ts';
import type { FineFile } from '../load.ts';
import type { Names } from './names.ts';
import { lackedTools } from './served-tools.ts';
import { type KnownTool, onlyReads } from '../vocabulary.ts';

/** What is wrong with the agents of a composition, which are there. */
export function compositionFaults(file: FineFile, names: Names): Fault[] {
  return file.links.flatMap((link): Fault[] => {
    const found = names.find(file, link);
    if (!found) return [];
    const { key, wanted: name } = link;
    const say = (why: Phrase): Fault[] => [fault(link.at, [phrase('named', { key, item: null, name }), why], { key })];
    if ('composition' in found) return say(phrase('is_composition'));
    if (link.use !== 'coagent') return [];
    return found.definition.next ? say(phrase('is_followed')) : [];
  });
}

/** What its coagent will not get. */
export function compositionWarnings(file: FineFile, names: Names, tools: readonly KnownTool[]): Fault[] {
  const link = file.links.find(({ use }) => use === 'coagent');
  const found = link && names.find(file, link);
  const own = names.definitionOf(file);
  if (!link || !own || !found || 'composition' in found) return [];
  const coagent = found.definition;
  const about = phrase('named', { key: link.key, item: null, name: coagent.name });
  const say = (what: Phrase): Fault => fault(link.at, [about, what], { key: link.key });
  const judged = own.flow?.type === 'judge' ? namedWriters(coagent, tools) : [];
  const lacked = lackedTools(own, coagent, tools);
  return [
    ...(judged.length > 0 ? [say(phrase('judge_reads', { names: judged.join(', ') }))] : []),
    ...(lacked.length > 0
      ? [say(phrase('coagent_lacks', { names: lacked.join(', '), primary: own.flow?.primary ?? '' }))]
      : []),
  ];
}

function namedWriters({ tools: named }: AgentDefinition, tools: readonly KnownTool[]): string[] {
  return tools.filter((tool) => named?.includes(tool.name) && !onlyReads(tool)).map(({ name }) => name);
}
