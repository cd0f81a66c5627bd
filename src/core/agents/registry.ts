/** The agents that one workflow can use: permanent ones by name, as they were when it started, temporary ones by the id of their run. */
import type { AgentDefinition, ProjectInstruction } from '#contract/agent.ts';
import { MAX_CHAIN_STAGES } from '#contract/limits.ts';

export class AgentRegistry {
  readonly #permanent = new Map<string, AgentDefinition>();
  /** A key of its own, since the same temporary name may run twice at once. */
  readonly #temporary = new Map<string, AgentDefinition>();
  /** Files of the workspace that were left out because nobody has trusted them as they are, by relative path. */
  readonly untrusted: readonly string[];

  /** What the project tells agents, of the files that are trusted as they are; nearest first. */
  readonly instructions: readonly ProjectInstruction[];

  constructor(untrusted: readonly string[] = [], instructions: readonly ProjectInstruction[] = []) {
    this.untrusted = untrusted;
    this.instructions = instructions;
  }

  /** A later definition with the same key replaces the earlier: built-in, then user, then project. */
  register(definition: AgentDefinition, key: string = definition.name): void {
    this.#of(definition).set(key, definition);
  }

  unregister(key: string): boolean {
    return this.#temporary.delete(key) || this.#permanent.delete(key);
  }

  /** A permanent agent by its name, even a disabled one. */
  get(name: string): AgentDefinition | null {
    return this.#permanent.get(name) ?? null;
  }

  /** By the name of a permanent agent or the key of a temporary one; null for an unknown or disabled one. */
  lookup(key: string): AgentDefinition | null {
    const found = this.#permanent.get(key) ?? this.#temporary.get(key);
    return found?.enabled ? found : null;
  }

  /** Alphabetical; without a filter, disabled ones too. */
  list(filter: { enabled?: boolean } = {}): AgentDefinition[] {
    return [...this.#permanent.values(), ...this.#temporary.values()]
      .filter((agent) => filter.enabled === undefined || agent.enabled === filter.enabled)
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** Returns the agents that a lead can delegate to: enabled, permanent, and no lead; alphabetical. */
  delegable(): AgentDefinition[] {
    return this.list({ enabled: true }).filter(
      ({ lifecycle, role }) => lifecycle === 'permanent' && role !== 'primary',
    );
  }

  /** The names of those that follow an agent, in order. */
  chainOf(definition: AgentDefinition): string[] {
    const chain: string[] = [];
    for (let name = definition.next?.[0]; name !== undefined; name = this.get(name)?.next?.[0]) {
      // Chains that the files make were resolved when they were loaded, and none is so long.
      if (chain.length === MAX_CHAIN_STAGES) break;
      chain.push(name);
    }
    return chain;
  }

  /** The keys of the temporary agents, in the order in which they came. */
  temporary(): string[] {
    return [...this.#temporary.keys()];
  }

  /** Forgets the temporary agents with these keys, or all of them; says how many there were. */
  cleanupTemporary(keys: Iterable<string> = this.temporary()): number {
    let count = 0;
    for (const key of keys) if (this.#temporary.delete(key)) count++;
    return count;
  }

  #of(definition: AgentDefinition): Map<string, AgentDefinition> {
    return definition.lifecycle === 'temporary' ? this.#temporary : this.#permanent;
  }
}
