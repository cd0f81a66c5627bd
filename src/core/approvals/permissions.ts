/** Decides what one call may do, by the rules of the files and the grants of the person. */
import { grantIdOf } from '#contract/grant-id.ts';
import type { Rule, Verdict } from '#contract/permission.ts';
import type { Payload } from '#core/store/log/recorder.ts';
import type { Grants } from './grants.ts';
import { matches } from '../base/pattern.ts';
import { type Action, judge, mayStart, ruleApplies } from './judge.ts';
import { readFolderRules, type RuleCache, type RulePorts, type RuleSet } from './rule-files.ts';

/** Tools that show paths of files. */
const READERS = ['list_directory', 'glob', 'read_file'];

/** The pattern of every path. */
const EVERYTHING = '**';

interface Started {
  /** Patterns of what MCP servers are started from in a folder. */
  readonly startedFrom: (folder: string) => Promise<readonly string[]>;
}

export class Permissions {
  readonly grants: Grants;
  readonly #files: RulePorts & Started;
  readonly #reading = new Map<string, Promise<RuleSet>>();
  readonly #parsed: RuleCache = new Map();

  constructor(grants: Grants, files: RulePorts & Started) {
    this.grants = grants;
    this.#files = files;
  }

  /** The current rules of a folder. The files are read once for all callers within the same turn of the event loop, never from an older cache. */
  rules(folder: string): Promise<RuleSet> {
    const reading = this.#reading.get(folder) ?? this.#read(folder);
    this.#reading.set(folder, reading);
    return reading;
  }

  /** The same as they would be with these texts of files, by path. */
  async rulesWith(folder: string, drafts: ReadonlyMap<string, string>): Promise<RuleSet> {
    const [rules, started] = await Promise.all([
      // A draft of its own each time: what is parsed of it is not kept.
      readFolderRules(folder, { ...this.#files, drafts }, drafts.size === 0 ? this.#parsed : new Map()),
      this.#files.startedFrom(folder),
    ]);
    return started.length === 0 ? rules : { ...rules, alwaysAsk: { ...rules.alwaysAsk, started } };
  }

  async #read(folder: string): Promise<RuleSet> {
    try {
      return await this.rulesWith(folder, new Map());
    } finally {
      setImmediate(() => this.#reading.delete(folder));
    }
  }

  /** The verdict on a call; counts nothing. */
  async explain(action: Action): Promise<Verdict> {
    return this.verdict(action, await this.rules(action.folder));
  }

  /** The same by these rules. */
  verdict(action: Action, rules: RuleSet): Verdict {
    const now = Date.now();
    return judge(action, rules, this.grants.candidates(action, now), now);
  }

  /** Whether a rule, a grant or the mode could allow some call like this one, whatever it is about, so that nobody is asked. */
  async mayAllow(action: Action): Promise<boolean> {
    const { rules, faults, alwaysAsk } = await this.rules(action.folder);
    if (faults.length > 0) return false;
    const now = Date.now();
    const byMode = judge({ ...action, targets: null }, { rules: [], faults, alwaysAsk }, [], now);
    return (
      byMode.effect === 'allow' ||
      this.grants.candidates(action, now).some((grant) => mayStart(grant, action)) ||
      rules.some(
        (rule) => rule.effect === 'allow' && mayStart(rule, action) && ruleApplies({ ...rule, pattern: null }, action),
      )
    );
  }

  /**
   * Returns the verdict on a call that is about to start, and counts the grant that allows it. Both happen in one turn of
   * the event loop, so that two calls cannot share the last use of a grant.
   */
  async decide(action: Action, record: (payload: Payload) => Promise<unknown>): Promise<Verdict> {
    const verdict = this.verdict(action, await this.rules(action.folder));
    const grantId = grantIdOf(verdict.ruleId);
    if (grantId !== null) this.grants.use(grantId, record);
    return verdict;
  }

  /** Returns the patterns of paths that a rule denies, or asks about, when any agent lists a folder or reads a file: all while a rule has a fault. */
  async guardedPaths(folder: string): Promise<string[]> {
    const { rules, faults } = await this.rules(folder);
    if (faults.length > 0) return [EVERYTHING];
    const isAbout = (tool: string | null): boolean =>
      tool === null || READERS.some((name) => matches(tool, name, { path: false, loose: true }));
    return rules.flatMap(({ effect, tool, permission, pattern }) =>
      effect !== 'allow' && isAbout(tool) && (permission ?? 'FilesystemRead') === 'FilesystemRead'
        ? [pattern ?? EVERYTHING]
        : [],
    );
  }

  /**
   * Patterns of what a call that looks at many files passes over: rules deny it, or want to be asked about it and were
   * not by the call as a whole; or they deny it to `reading`, the same agent's reading of one file.
   */
  async hidden(action: Action, reading: Action): Promise<string[]> {
    const { rules } = await this.rules(action.folder);
    const about = (rule: Rule, call: Action): boolean => ruleApplies(rule, { ...call, targets: null });
    const hides = (rule: Rule): boolean =>
      rule.effect === 'deny'
        ? about(rule, action) || about(rule, reading)
        : rule.effect === 'ask' && about(rule, action) && !ruleApplies(rule, action);
    return rules.flatMap((rule) => (rule.pattern !== null && hides(rule) ? [rule.pattern] : []));
  }
}
