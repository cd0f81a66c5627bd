/** Selects the agents that the prompt of a lead lists, within a bound of tokens. */
import type { AgentDefinition, Envelope } from '#contract/agent.ts';
import { CHARS_OF_TOKEN } from '#contract/context/estimate.ts';
import { MAX_AGENT_LIST_TOKENS, MIN_LISTED_DESCRIPTION_CHARS } from '#contract/limits.ts';
import { cutAtCodePoint } from '../../base/text.ts';

type ListableAgent = Pick<AgentDefinition, 'name' | 'description' | 'source'>;

const MAX_LIST_CHARS = MAX_AGENT_LIST_TOKENS * CHARS_OF_TOKEN;
/** Characters of a line besides name and description. */
const LINE_CHARS = '- : \n'.length;
/** Characters of each text in which names of agents are searched. */
const MAX_SEARCHED_CHARS = 20_000;
/** Order in which agents get a place in the list. */
const SOURCES: readonly AgentDefinition['source'][] = ['project', 'user', 'builtin', 'spawned'];

/**
 * Returns the listed agents, in the order of `agents`, and the number of others if there are any. A list that is too long
 * gets shorter descriptions first. Then agents are left out: agents that `texts` name are listed first, then those of the
 * project, of the person and of the program.
 */
export function selectListedAgents(
  agents: readonly ListableAgent[],
  texts: readonly string[],
): { agents: NonNullable<Envelope['agents']>; moreAgents?: number } {
  const longest = agents.reduce((most, { description }) => Math.max(most, description.length), 0);
  const maxChars = findDescriptionLength(agents, longest);
  const lines = agents.map((agent) => ({ ...agent, description: shorten(agent.description, maxChars) }));
  const listedNames = new Set(selectNames(lines, texts));
  const listed = lines.filter(({ name }) => listedNames.has(name));
  const moreAgents = lines.length - listed.length;
  return {
    agents: listed.map(({ name, description }) => ({ name, description })),
    ...(moreAgents > 0 ? { moreAgents } : {}),
  };
}

/** Returns the notice about agents that are left out or shortened; null if the list is complete. */
export function describeAgentList(
  { agents = [], moreAgents = 0 }: Pick<Envelope, 'agents' | 'moreAgents'>,
  all: readonly ListableAgent[],
): string | null {
  const total = (agents.length + moreAgents).toLocaleString('en-US');
  if (moreAgents > 0)
    return `${moreAgents.toLocaleString('en-US')} of ${total} agents are not listed for the lead. Name an agent in your message to list it, or delete agents that you do not need`;
  const descriptions = new Map(all.map(({ name, description }) => [name, description]));
  const shortened = agents.filter(({ name, description }) => descriptions.get(name) !== description).length;
  if (shortened === 0) return null;
  return `The descriptions of ${shortened} of ${total} agents are shortened for the lead. Make descriptions shorter, or delete agents that you do not need`;
}

/** Returns the most characters of a description with which all lines fit; at least the minimum. */
function findDescriptionLength(agents: readonly ListableAgent[], longest: number): number {
  if (measureList(agents, longest) <= MAX_LIST_CHARS) return longest;
  let [low, high] = [MIN_LISTED_DESCRIPTION_CHARS, longest];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (measureList(agents, middle) <= MAX_LIST_CHARS) low = middle;
    else high = middle;
  }
  return low;
}

/** Returns the characters of the lines if no description is longer than `maxChars`. */
function measureList(agents: readonly ListableAgent[], maxChars: number): number {
  return agents.reduce((sum, { name, description }) => {
    return sum + name.length + LINE_CHARS + Math.min(maxChars, description.length);
  }, 0);
}

function shorten(description: string, maxChars: number): string {
  return description.length <= maxChars ? description : `${cutAtCodePoint(description, maxChars - 1)}…`;
}

/** Returns the names of the first agents by rank that fit. */
function selectNames(agents: readonly ListableAgent[], texts: readonly string[]): string[] {
  const isComplete = measureList(agents, Infinity) <= MAX_LIST_CHARS;
  const ranked = isComplete ? agents : sortByRank(agents, texts);
  let remainingChars = MAX_LIST_CHARS;
  const end = ranked.findIndex((agent) => (remainingChars -= measureList([agent], Infinity)) < 0);
  return (end === -1 ? ranked : ranked.slice(0, end)).map(({ name }) => name);
}

function sortByRank(agents: readonly ListableAgent[], texts: readonly string[]): ListableAgent[] {
  const searched = texts.map((text) => text.slice(0, MAX_SEARCHED_CHARS).toLowerCase());
  const findRank = ({ name, source }: ListableAgent): number =>
    searched.some((text) => isNamed(text, name.toLowerCase())) ? -1 : SOURCES.indexOf(source);
  const ranks = new Map(agents.map((agent) => [agent, findRank(agent)]));
  return agents.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
}

const WORD_START = /[\p{L}\p{N}_-]$/u;
const WORD_END = /^[\p{L}\p{N}_-]/u;

/** Returns true if the text has the name as a word. */
function isNamed(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const isWord =
      !WORD_START.test(text.slice(Math.max(0, at - 2), at)) &&
      !WORD_END.test(text.slice(at + name.length, at + name.length + 2));
    if (isWord) return true;
  }
  return false;
}
