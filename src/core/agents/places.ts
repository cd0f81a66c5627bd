/** Where agents' files lie: which folders, in which order, whose, and in whose format. */
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentReport } from '#contract/agent.ts';
import type { FileKind } from './edit.ts';

/** The program whose format the files have. */
export type Dialect = 'triad' | 'claude' | 'opencode';

/** Name of the folders of compositions, beside those of agents. */
const COMPOSITIONS = 'compositions';

export interface AgentPlace {
  folder: string;
  source: AgentReport['source'];
  dialect: Dialect;
  /** Its files compose agents that others define; left out for a place of agents. */
  compositions?: true;
}

/** The agents and the compositions that come with the program. */
export function builtinPlaces(): [AgentPlace, AgentPlace] {
  const folder = fileURLToPath(new URL('./builtin', import.meta.url));
  return [
    { folder, source: 'builtin', dialect: 'triad' },
    { folder: join(folder, COMPOSITIONS), source: 'builtin', dialect: 'triad', compositions: true },
  ];
}

/** The person's places; a later place overrides an earlier one. */
export function userPlaces(config: string, home: string): AgentPlace[] {
  return [
    { folder: join(home, '.claude', 'agents'), source: 'user', dialect: 'claude' },
    { folder: join(config, 'agents'), source: 'user', dialect: 'triad' },
    { folder: join(config, COMPOSITIONS), source: 'user', dialect: 'triad', compositions: true },
  ];
}

/** The places of a workspace, as relative paths; a later place overrides an earlier one. */
const PROJECT: readonly (readonly [string, Dialect])[] = [
  ['.opencode/agent', 'opencode'],
  ['.opencode/agents', 'opencode'],
  ['.claude/agents', 'claude'],
  ['.triad/agents', 'triad'],
  [`.triad/${COMPOSITIONS}`, 'triad'],
];

/** A project's settings; they define no agents, and need trust like them. */
export const PROJECT_CONFIG = '.triad/config.toml';

export function projectPlaces(workspace: string): AgentPlace[] {
  return PROJECT.map(([path, dialect]) => placeOf(join(workspace, path), dialect));
}

/** The place of a given folder of agents' files; its path tells the format. */
export function placeAt(folder: string): AgentPlace {
  const path = `${basename(dirname(folder))}/${basename(folder)}`;
  const dialect = PROJECT.find(([known]) => known === path)?.[1] ?? 'triad';
  return placeOf(folder, dialect);
}

function placeOf(folder: string, dialect: Dialect): AgentPlace {
  const place = { folder, source: 'project' as const, dialect };
  return basename(folder) === COMPOSITIONS ? { ...place, compositions: true } : place;
}

/** Where a new agent, or a new composition, of this source goes. */
export function ownPlace(
  places: readonly AgentPlace[],
  source: AgentPlace['source'],
  isComposition: boolean,
): AgentPlace | undefined {
  return places.find((one) => {
    return one.source === source && one.dialect === 'triad' && (one.compositions ?? false) === isComposition;
  });
}

/** Returns the format of an agent's file. */
export function getFileKind(file: string, { compositions }: AgentPlace): FileKind {
  return compositions ? 'composition' : extname(file) === '.toml' ? 'toml' : 'markdown';
}
