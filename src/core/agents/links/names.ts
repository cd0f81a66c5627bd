/** Who is who among the files of a folder, some of which may be refused: each name stands for the last of its files. */
import { basename, dirname, extname, resolve } from 'node:path';
import type { AgentDefinition, Fault } from '#contract/agent.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { nearest } from '../../base/nearest.ts';
import { agentToolName } from '../../tools/agents/agent-tool.ts';
import { fault } from '../entries.ts';
import type { Link } from './link.ts';
import { type FineFile, nameOf, type UnlinkedFile } from '../load.ts';
import { canonicalHash } from '#core/base/hash.ts';
import type { Composition } from '../compositions/composition.ts';

export class Names {
  /** Those that are not refused. */
  readonly files: readonly FineFile[];
  readonly #all: readonly UnlinkedFile[];
  readonly #refused: ReadonlyMap<UnlinkedFile, readonly Fault[]>;
  readonly #inEffect = new Map<string, FineFile>();
  /** By path, by the name of the file and without its ending, and by the name of the tool; made when a name is none of an agent. */
  #aliases: Map<string, FineFile> | null = null;
  readonly #composed = new Map<FineFile, AgentDefinition | null>();

  constructor(files: readonly UnlinkedFile[], refused: ReadonlyMap<UnlinkedFile, readonly Fault[]>) {
    this.#all = files;
    this.#refused = refused;
    this.files = files.filter((file): file is FineFile => file.ok && !refused.has(file));
    for (const file of this.files) this.#inEffect.set(nameOf(file) ?? '', file);
  }

  /** What a link leads to, where that is in effect and not disabled. */
  find(from: UnlinkedFile, link: Link): FineFile | null {
    const found = this.#lookup(from, link.wanted);
    return found && isEnabled(found) && this.#inEffect.get(nameOf(found) ?? '') === found ? found : null;
  }

  /** Why a link leads nowhere; none where it leads somewhere. */
  faultsOf(from: UnlinkedFile, link: Link): Fault[] {
    if (this.find(from, link)) return [];
    const { wanted, key, item, at } = link;
    const about = phrase('named', { key, item, name: wanted });
    const say = (why: readonly Phrase[], suggestion: string | null = null): Fault[] => {
      return [fault(at, [about, ...why], { key, suggestion })];
    };
    const found = this.#lookup(from, wanted);
    if (found && !isEnabled(found)) return say([phrase('disabled_in', { path: found.path })]);
    const by = found && this.#inEffect.get(nameOf(found) ?? '');
    if (found) return say([phrase('overridden', { path: found.path, by: by?.path ?? '' })]);
    const refused = this.#all.findLast((file) => !this.#isFine(file) && isCalled(file, wanted, from));
    if (refused) return say([phrase('refused', { path: refused.path }), ...this.#reasonOf(refused)]);
    return say([phrase('no_such_agent')], nearest(wanted, [...this.#inEffect.keys()]));
  }

  /** Of a composition, made of what it names; null where that is not there. */
  definitionOf(file: FineFile | null): AgentDefinition | null {
    if (!file) return null;
    if (!('composition' in file)) return file.definition;
    const known = this.#composed.get(file);
    if (known !== undefined) return known;
    const [primary, coagent] = [this.#agentOf(file, 'primary'), this.#agentOf(file, 'coagent')];
    const isWhole = primary && (coagent || file.composition.flow.coagent === null);
    const made = isWhole ? compose(file.composition, primary, coagent) : null;
    this.#composed.set(file, made);
    return made;
  }

  /** The file that its `next` leads to; a composition's is its primary's. */
  next(file: FineFile): FineFile | null {
    const primary = file.links.find(({ use }) => use === 'primary');
    const own = primary ? this.find(file, primary) : file;
    const link = own?.links.find(({ use }) => use === 'next');
    return own && link ? this.find(own, link) : null;
  }

  /** The agents that follow, in order. Only where no chain leads into itself. */
  chainOf(file: FineFile): AgentDefinition[] {
    const chain: AgentDefinition[] = [];
    for (let at = this.next(file); at; at = this.next(at)) {
      const definition = this.definitionOf(at);
      if (definition) chain.push(definition);
    }
    return chain;
  }

  /** The agent that a composition names as this, which is no composition. */
  #agentOf(file: FineFile, use: Link['use']): AgentDefinition | null {
    const link = file.links.find((one) => one.use === use);
    const found = link ? this.find(file, link) : null;
    return found && !('composition' in found) ? found.definition : null;
  }

  #lookup(from: UnlinkedFile, wanted: string): FineFile | undefined {
    const named = this.#inEffect.get(wanted);
    if (named) return named;
    this.#aliases ??= this.#aliasesOf();
    return this.#aliases.get(wanted) ?? this.#aliases.get(resolve(dirname(from.path), wanted));
  }

  #aliasesOf(): Map<string, FineFile> {
    const aliases = new Map<string, FineFile>();
    // Each kind of name goes before those that stand above it here; of one kind the last file.
    for (const file of this.files) aliases.set(basename(file.path, extname(file.path)), file);
    for (const file of this.files) aliases.set(basename(file.path), file);
    for (const file of this.files) aliases.set(file.path, file);
    for (const [name, file] of this.#inEffect) aliases.set(agentToolName(name), file);
    return aliases;
  }

  #isFine(file: UnlinkedFile): boolean {
    return file.ok && !this.#refused.has(file);
  }

  /** The first cause, where one refused file leads to the next. */
  #reasonOf(file: UnlinkedFile): Phrase[] {
    const errors = this.#refused.get(file) ?? (file.ok ? [] : file.errors);
    const says = errors[0]?.says ?? [];
    return says.slice(says.findLastIndex(({ key }) => key === 'refused') + 1);
  }
}

function isEnabled(file: FineFile): boolean {
  return 'composition' in file || file.definition.enabled;
}

function isCalled(file: UnlinkedFile, wanted: string, from: UnlinkedFile): boolean {
  const { path } = file;
  const name = nameOf(file);
  const isNamed = name !== null && (name === wanted || agentToolName(name) === wanted);
  return (
    isNamed ||
    basename(path) === wanted ||
    basename(path, extname(path)) === wanted ||
    resolve(dirname(from.path), wanted) === path
  );
}

/**
 * The agent of a composition: its primary with another name and a control flow. The hash includes all three, so an approved agent never runs with another coagent. The keys of the primary that begin
 * with `x-` are left out.
 */
function compose(
  { name, description, flow, source, path, hash }: Composition,
  primary: AgentDefinition,
  coagent: AgentDefinition | null,
): AgentDefinition {
  const { extra: _, ...own } = primary;
  return {
    ...own,
    name,
    description,
    flow: { ...flow, primary: primary.name, coagent: coagent?.name ?? null },
    source,
    sourcePath: path,
    hash: canonicalHash([hash, primary.hash, coagent?.hash ?? null]),
  };
}
