/**
 * What agents' files name of each other, looked up once all of them are read, so that the order of files makes no
 * difference: the agents that follow, and those that compositions are made of. A file whose links do not hold is refused,
 * which may bring back the one that it overrides; so this goes on until nothing more is refused.
 */
import type { Fault } from '#contract/agent.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { MAX_CHAIN_STAGES } from '#contract/limits.ts';
import { TriadError } from '../../base/errors.ts';
import { compositionFaults, compositionWarnings } from './composition-links.ts';
import { contractMismatch, contractWarnings } from './chain-contracts.ts';
import { fault, inOrder, START } from '../entries.ts';
import { type FineFile, type LoadedFile, nameOf, type UnlinkedFile } from '../load.ts';
import type { Link } from './link.ts';
import { Names } from './names.ts';
import { toolWarnings } from './served-tools.ts';
import type { KnownTool } from '../vocabulary.ts';

type Refused = ReadonlyMap<UnlinkedFile, readonly Fault[]>;

/** The same files in the same order, a later one overriding an earlier one of its name; of `next` the first is a name. */
export function linkFiles(files: readonly UnlinkedFile[], tools: readonly KnownTool[]): LoadedFile[] {
  const refused = new Map<UnlinkedFile, readonly Fault[]>(takenNames(files));
  for (;;) {
    const names = new Names(files, refused);
    const found = faultsOf(names);
    if (found.size === 0) return files.map((file) => linked(file, refused, names, tools));
    for (const [file, faults] of found) refused.set(file, faults);
  }
}

/** Compositions that are named like an agent which they would hide. */
function takenNames(files: readonly UnlinkedFile[]): [UnlinkedFile, Fault[]][] {
  const agents = new Map<string, string>();
  return files.flatMap((file): [UnlinkedFile, Fault[]][] => {
    if (!file.ok) return [];
    const name = nameOf(file) ?? '';
    if (!('composition' in file)) {
      agents.set(name, file.path);
      return [];
    }
    const other = agents.get(name);
    if (other === undefined) return [];
    const says = phrase('name_of_agent', { name, path: other });
    return [[file, [fault(file.at('agent.name'), says, { key: 'agent.name' })]]];
  });
}

/** The faults of links as they are now; a file that leads to one of those has none yet. */
function faultsOf(names: Names): Map<UnlinkedFile, Fault[]> {
  const found = new Map<UnlinkedFile, Fault[]>();
  const add = (file: UnlinkedFile, faults: readonly Fault[]): void => {
    if (faults.length > 0) found.set(file, [...(found.get(file) ?? []), ...faults]);
  };
  const linking = names.files.filter(({ links }) => links.length > 0);
  for (const file of linking) {
    add(
      file,
      file.links
        .filter((link) => link === nextOf(file) || link.use !== 'next')
        .flatMap((link) => names.faultsOf(file, link)),
    );
    if (!found.has(file)) add(file, 'composition' in file ? compositionFaults(file, names) : stageFaults(file, names));
  }
  for (const [file, faults] of chainFaults(linking, names, found)) if (!found.has(file)) add(file, faults);
  return found;
}

function stageFaults(file: FineFile, names: Names): Fault[] {
  const link = nextOf(file);
  const next = link && names.definitionOf(names.find(file, link));
  const own = names.definitionOf(file);
  if (!link || !next || !own) return [];
  const why = next.role === 'primary' ? phrase('follows_nobody') : contractMismatch(own, next);
  const about = phrase('named', { key: 'next', item: null, name: link.wanted });
  return why === null ? [] : [fault(link.at, [about, why], { key: link.key })];
}

function nextOf({ links }: FineFile): Link | undefined {
  return links.find(({ use }) => use === 'next');
}

/** Of files that lead to themselves, and of those that too many follow; what leads to one of `refused` has none. */
function chainFaults(
  files: readonly FineFile[],
  names: Names,
  refused: ReadonlyMap<UnlinkedFile, unknown>,
): [UnlinkedFile, Fault[]][] {
  const starts = files.filter((file) => nextOf(file) !== undefined);
  const lengths = new Map<FineFile, number>();
  const found: [UnlinkedFile, Fault[]][] = [];
  const refuse = (file: FineFile, says: Phrase): void => {
    const { at, key } = nextOf(file) ?? file.links[0] ?? { at: START, key: 'next' };
    found.push([file, [fault(at, says, { key })]]);
  };
  for (const start of starts) {
    const path: FineFile[] = [];
    const places = new Map<FineFile, number>();
    let at: FineFile | null = start;
    for (; at && !lengths.has(at) && !places.has(at); at = names.next(at)) {
      places.set(at, path.length);
      path.push(at);
    }
    const begin = at ? places.get(at) : undefined;
    const circle = begin === undefined ? [] : path.slice(begin);
    for (const [index, file] of circle.entries()) {
      const round = [...circle.slice(index), ...circle.slice(0, index), file].map(nameOf);
      refuse(file, phrase('recursion', { round: round.join(' -> ') }));
    }
    // Behind the last one nobody follows; what leads into a circle, or to a refused file, is refused with it, once that is.
    let length = circle.length > 0 ? -Infinity : at ? (lengths.get(at) ?? 0) : -1;
    for (const file of path.toReversed()) lengths.set(file, (length = refused.has(file) ? -Infinity : length + 1));
  }
  for (const file of starts) {
    const length = lengths.get(file) ?? 0;
    if (length > MAX_CHAIN_STAGES) refuse(file, phrase('long_chain', { length, max: MAX_CHAIN_STAGES }));
  }
  return found;
}

/** Adds the faults of linked agents to a file with other faults. */
function addLinkFaults(file: LoadedFile & { ok: false }, names: Names): LoadedFile {
  const links = file.names?.links ?? [];
  const next = links.find(({ use }) => use === 'next');
  const faults = links
    .filter((link) => link === next || link.use !== 'next')
    .flatMap((link) => names.faultsOf(file, link));
  return faults.length === 0 ? file : { ...file, errors: inOrder([...file.errors, ...faults]) };
}

function linked(file: UnlinkedFile, refused: Refused, names: Names, tools: readonly KnownTool[]): LoadedFile {
  if (!file.ok) return addLinkFaults(file, names);
  const { path, source } = file;
  const errors = refused.get(file);
  if (errors) return { path, source, ok: false, name: nameOf(file), errors: [...errors], warnings: [] };
  if (file.links.length === 0 && !('composition' in file)) return file;
  const own = names.definitionOf(file);
  if (!own) throw new TriadError('internal', `${path} was not refused, and its agents are not there`);
  const stages = names.chainOf(file);
  const chain = stages.map(({ name }) => name);
  const [first] = chain;
  const definition = first === undefined ? own : { ...own, next: [first, ...(own.next ?? []).slice(1)] };
  if ('composition' in file) {
    const warnings = [...file.warnings, ...compositionWarnings(file, names, tools)];
    const at = { provider: START, model: START, temperature: START };
    return { path, source, ok: true, definition, warnings, at, mentions: [], links: file.links, chain };
  }
  const link = nextOf(file);
  const warnings = link ? [...contractWarnings(own, stages, link), ...toolWarnings(own, stages, link, tools)] : [];
  return { ...file, definition, warnings: [...file.warnings, ...warnings], chain };
}
