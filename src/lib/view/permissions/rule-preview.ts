/** What a change of the rules would decide about the calls of the past, in figures. Pure. */
import type { Permission } from '#contract/agent.ts';
import type { Effect, Rule, Verdict } from '#contract/permission.ts';
import type { JudgedCall, RulePreview, RuleWish } from '#contract/permissions/rule-edit.ts';

/** As the contract has them, of whose values a page takes none: its schemas would come along. */
export const EFFECTS = ['deny', 'ask', 'allow'] as const satisfies readonly Effect[];
export const PERMISSIONS = [
  ...(['FilesystemRead', 'FilesystemWrite', 'SemanticSearch', 'DatabaseRead', 'DatabaseWrite'] as const),
  ...(['NetworkAccess', 'Execute'] as const),
] satisfies readonly Permission[];

interface Turn {
  before: Effect;
  after: Effect;
  count: number;
}

export interface PreviewFigures {
  /** Calls that were looked at, with those of which nobody can tell. */
  looked: number;
  /** Calls that the rule decides; none of one that is taken out. */
  decides: number;
  /** What those were and would be: what changes first. */
  turns: Turn[];
  /** Every call whose verdict changes, newest first. */
  changed: JudgedCall[];
  /** Of these, what could not be undone or reaches out, and would not be asked about any more. */
  loosened: JudgedCall[];
}

export function figuresOf(preview: RulePreview): PreviewFigures {
  const { calls, untold, rule } = preview;
  const isIts = ({ after }: JudgedCall): boolean => rule !== null && after.ruleId === rule.id;
  const isChanged = ({ before, after }: JudgedCall): boolean => before.effect !== after.effect;
  const turns = new Map<string, Turn>();
  for (const call of calls.filter((one) => isIts(one) || isChanged(one))) {
    const [before, after] = [call.before.effect, call.after.effect];
    const known = turns.get(`${before} ${after}`);
    turns.set(`${before} ${after}`, { before, after, count: (known?.count ?? 0) + 1 });
  }
  const changed = calls.filter(isChanged);
  return {
    looked: calls.length + untold.length,
    decides: calls.filter(isIts).length,
    turns: [...turns.values()].sort((a, b) => Number(a.before === a.after) - Number(b.before === b.after)),
    changed,
    loosened: changed.filter(({ after, dangers }) => after.effect === 'allow' && dangers.length > 0),
  };
}

/** Whether the person is warned of what it would let through. */
export function isRisky(preview: RulePreview): boolean {
  return preview.dangers.length > 0 || figuresOf(preview).loosened.length > 0;
}

/** How many of the calls each rule decides, by its id. */
export function decidedBy({ calls }: RulePreview): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { before } of calls) counts.set(before.ruleId, (counts.get(before.ruleId) ?? 0) + 1);
  return counts;
}

/** Its place in its file, from 0. */
export function placeOf({ id }: Pick<Rule, 'id'>): number {
  return Number(id.split(':')[1]) - 1;
}

/** The fields of the form for a rule; what is empty holds for all. */
export interface RuleForm {
  effect: Effect;
  /** A tool, with wildcards, or a permission by its name. */
  about: string;
  agent: string;
  pattern: string;
}

export function wishOf({ effect, about, agent, pattern }: RuleForm): RuleWish {
  const permission = PERMISSIONS.find((one) => one === about);
  return {
    effect,
    ...(permission === undefined ? { tool: about } : { permission }),
    ...(agent === '' ? {} : { agent }),
    ...(pattern === '' ? {} : { pattern }),
  };
}

export function formOf({ effect, tool, permission, agent, pattern }: Rule): RuleForm {
  return { effect, about: tool ?? permission ?? '', agent: agent ?? '', pattern: pattern ?? '' };
}

/**
 * A rule about this very call, which asks where it was allowed and allows where it was asked about. One that would be about
 * all calls of the tool, because nothing in this one can be named by a pattern, asks: to allow them all is for the person
 * to choose.
 */
export function formOfCall(
  { agent, tool }: { agent: string; tool: string },
  { effect, names }: Pick<Verdict, 'effect' | 'names'>,
): RuleForm {
  const pattern = names?.pattern ?? '';
  const allows = effect === 'ask' && pattern !== '';
  return {
    effect: allows ? 'allow' : 'ask',
    about: tool,
    agent: names?.agent ?? agent,
    pattern: allows ? pattern : (names?.anyPattern ?? pattern),
  };
}
