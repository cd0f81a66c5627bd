/** What is wrong with the agents that a composition names, and what its coagent will not get of them. */
import type { AgentDefinition, Fault } from '#contract/agent.ts';
import { fault } from '../entries.ts';
import type { FineFile } from '../load.ts';
import type { Names } from './names.ts';
import { lackedTools } from './served-tools.ts';
import { type KnownTool, isWithinPermissions, READING } from '../vocabulary.ts';

/** What is wrong with the agents of a composition, which are there. */
export function compositionFaults(file: FineFile, names: Names): Fault[] {
  return file.links.flatMap((link): Fault[] => {
    const found = names.find(file, link);
    if (!found) return [];
    const say = (why: string): Fault[] => [fault(link.at, `${link.key} ${link.wanted}: ${why}`, { key: link.key })];
    if ('composition' in found) return say('it is a composition itself: name an agent');
    if (link.use !== 'coagent') return [];
    return found.definition.next ? say('another agent follows it (next): a coagent stands alone') : [];
  });
}

/** What its coagent will not get. */
export function compositionWarnings(file: FineFile, names: Names, tools: readonly KnownTool[]): Fault[] {
  const link = file.links.find(({ use }) => use === 'coagent');
  const found = link && names.find(file, link);
  const own = names.definitionOf(file);
  if (!link || !own || !found || 'composition' in found) return [];
  const coagent = found.definition;
  const say = (what: string): Fault => fault(link.at, `${link.key} ${coagent.name}: ${what}`, { key: link.key });
  const judged = own.flow?.type === 'judge' ? namedWriters(coagent, tools) : [];
  const lacked = lackedTools(own, coagent, tools);
  return [
    ...(judged.length > 0 ? [say(`a judge only reads, so it does not get ${judged.join(', ')}`)] : []),
    ...(lacked.length > 0
      ? [say(`it names ${lacked.join(', ')}, which ${own.flow?.primary} does not have: a run is refused for it`)]
      : []),
  ];
}

function namedWriters({ tools: named }: AgentDefinition, tools: readonly KnownTool[]): string[] {
  return tools
    .filter((tool) => named?.includes(tool.name) && !isWithinPermissions(tool, READING))
    .map(({ name }) => name);
}
