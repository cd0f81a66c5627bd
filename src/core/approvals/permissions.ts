/** What may be done: the rules of the files and the grants of the person, held against one call at a time. */
import type { Verdict } from '#contract/permission.ts';
import type { Payload } from '../recorder.ts';
import type { Grants } from './grants.ts';
import { type Action, concerns, judge } from './judge.ts';
import { rulesIn, type RulePorts, type RuleSet } from './rule-files.ts';

const GRANT = 'grant:';

export class Permissions {
  readonly grants: Grants;
  readonly #files: RulePorts;
  readonly #reading = new Map<string, Promise<RuleSet>>();

  constructor(grants: Grants, files: RulePorts) {
    this.grants = grants;
    this.#files = files;
  }

  /** As they are now: one reading serves only those who ask within the same turn of the program, whose work stays together. */
  rules(folder: string): Promise<RuleSet> {
    const reading = this.#reading.get(folder) ?? this.#read(folder);
    this.#reading.set(folder, reading);
    return reading;
  }

  async #read(folder: string): Promise<RuleSet> {
    try {
      return await rulesIn(folder, this.#files);
    } finally {
      setImmediate(() => this.#reading.delete(folder));
    }
  }

  /** Says what would become of it, and changes nothing. */
  async explain(action: Action): Promise<Verdict> {
    const rules = await this.rules(action.folder);
    const now = Date.now();
    return judge(action, rules, this.grants.live(now), now);
  }

  /** The verdict on a call that is about to be made: a grant that allows it is counted. */
  async decide(action: Action, record: (payload: Payload) => Promise<unknown>): Promise<Verdict> {
    const verdict = await this.explain(action);
    if (verdict.ruleId.startsWith(GRANT)) {
      const id = verdict.ruleId.slice(GRANT.length);
      this.grants.use(id, record);
    }
    return verdict;
  }

  /** Patterns of what a search over more than one file passes over: rules deny it, or want to be asked. */
  async hidden(action: Action): Promise<string[]> {
    const { rules } = await this.rules(action.folder);
    return rules.flatMap((rule) =>
      rule.pattern !== null && rule.effect !== 'allow' && concerns(rule, { ...action, targets: null })
        ? [rule.pattern]
        : [],
    );
  }
}
