/** The verdict on one call, with all steps that lead to it: the first one decides. Pure; a pattern never allows unknown targets. */
import type { ApprovalMode, Permission } from '#contract/agent.ts';
import type { Risk } from '#contract/approval.ts';
import { ruleIdOf } from '#contract/grant-id.ts';
import type { Effect, Grant, Place, Rule, Verdict, VerdictStep } from '#contract/permission.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import { literalOf, matches } from '../base/pattern.ts';
import { type ListedFiles, listName } from '../settings/listed-files.ts';
import { findLimitReason, matchesHidden, namesValue, type Targets, selectTarget, wholeText } from '../tools/targets.ts';
import type { Starts } from '../tools/tool.ts';
import type { RuleSet } from './rule-files.ts';
import { findSteeredProgram, isSteering, namesSteering } from '../workspace/steering-files.ts';

/** A call as rules and grants see it. */
export interface Action {
  agent: string;
  /** The agent's name; of a temporary agent with a mark that no defined one has. Rules and grants that allow must match it. */
  scope: string;
  tool: string;
  /** A tool that does the same: rules that deny or ask about that one apply here too. */
  like?: string | undefined;
  /** For a tool of an MCP server: what that is started with, as a hash. */
  server?: string | undefined;
  permissions: readonly Permission[];
  targets: Targets;
  folder: string;
  /** Null where there is none, as for an explanation. */
  conversationId: string | null;
  workflowId: string | null;
  /** Permissions and tools whose calls the agent's definition wants to be asked about. */
  requires: readonly string[];
  /** Why the agent cannot do this at all; null where it can. */
  ceiling: string | null;
  /** Whether it is asked about where no rule or grant says otherwise. */
  asks: boolean;
  risk: Risk;
  reversible: boolean;
  /** What cannot be undone is allowed by a rule or a grant of the person that names the tool and a pattern. */
  nameable: boolean;
  /** Whom it starts, where it starts a sub-agent; null where it starts none. */
  starts: Starts | null;
  /** Why only the person may allow it; null where rules, grants and the mode may too. */
  held: string | null;
  mode: ApprovalMode;
}

/** The rules among these that allow the call: each one alone, or where it does several things all of them together. */
function allowing(rules: readonly Rule[], action: Action): Rule[] {
  const { targets } = action;
  const alone = rules.filter((rule) => ruleApplies(rule, action));
  if (!targets?.each || alone.length > 0) return alone;
  const parts = targets.values.map((value) => ({ ...action, targets: selectTarget(targets, value) }));
  const found = parts.map((part) => rules.filter((rule) => ruleApplies(rule, part)));
  return found.every((some) => some.length > 0) ? [...new Set(found.flat())] : [];
}

/** Whether the person says so: a project's file is not the person. */
function isTheirs(source: Rule | Grant): boolean {
  return !('effect' in source) || source.scope === 'user';
}

/** Whether the person has named tool and pattern. */
function isNaming(source: Rule | Grant, { tool }: Action): boolean {
  return isTheirs(source) && source.tool === tool && source.pattern !== null;
}

/**
 * Whether a rule may allow the start of a sub-agent: it says so by the tool's whole name and by whom, since a rule about all
 * tools is no yes to that. Who is temporary has whatever name, prompt and tools its lead gives it: only the person may let
 * that through.
 */
export function mayStart(source: Rule | Grant, { starts, tool }: Pick<Action, 'starts' | 'tool'>): boolean {
  if (starts === null) return true;
  if (starts === 'temporary' && !isTheirs(source)) return false;
  return source.tool === tool && (source.pattern !== null || starts === 'named');
}

/** The id of the step that asks about a file that runs code or steers programs. */
export const STEERING_ID = 'steering-file';

const NOWHERE: Place = { file: null, line: null };

export function judge(
  action: Action,
  { rules, faults, alwaysAsk }: Pick<RuleSet, 'rules' | 'faults' | 'alwaysAsk'>,
  grants: readonly Grant[],
  now: number,
): Verdict {
  const concern = rules.filter((rule) => ruleApplies(rule, action));
  const of = (...effects: Effect[]): Rule[] => concern.filter(({ effect }) => effects.includes(effect));
  const [ask, allow] = [of('ask'), of('allow')];
  const more = namedIn(alwaysAsk);
  const steering = findSteering(action, more);
  const mayAllow = (source: Rule | Grant): boolean =>
    mayStart(source, action) &&
    (action.reversible || (action.nameable && isNaming(source, action))) &&
    steering.every((file) => isNamedBy(source.pattern, file, more));
  // Between asking and allowing the more specific place decides; in one place, asking does.
  const inProject = concern.filter(({ scope, effect }) => scope === 'project' && effect !== 'deny');
  const decidesInProject = inProject.some((rule) => rule.effect === 'ask' || mayAllow(rule));
  // What allows nothing of this in the project hides neither what the person asks about nor what they allow by its name.
  const stands = (rule: Rule): boolean => !decidesInProject && (rule.effect === 'ask' || isNaming(rule, action));
  const nearest = (rule: Rule): boolean => inProject.length === 0 || rule.scope === 'project' || stands(rule);
  const held = grants.filter((grant) => grantCovers(grant, action, now) && mayAllow(grant));
  const candidates = [
    ...(action.ceiling === null ? [] : [ceiling(action.ceiling)]),
    ...faults.map(({ file, line, message }) => fault(`${file}:${line}: ${message}`, { file, line })),
    ...of('deny').map(ruled),
    ...(action.held === null ? [] : [heldBack(action.held)]),
    ...held.map(granted),
    ...requiredBy(action),
    ...ask.filter(nearest).map(ruled),
    ...allowing(
      rules.filter((rule) => rule.effect === 'allow' && nearest(rule) && mayAllow(rule)),
      action,
    ).map(ruled),
    ...steering.slice(0, 1).map((file) => createSteeringCandidate(file, alwaysAsk)),
    usual(
      action,
      allow.some((rule) => !mayStart(rule, action)),
    ),
    // Rules that apply, but that the steps above always overrule: listed to explain the verdict.
    ...[...ask, ...allow].filter((rule) => !nearest(rule)).map(ruled),
    ...allow.filter((rule) => nearest(rule) && !mayAllow(rule)).map(ruled),
  ];
  return verdictOf(candidates);
}

/** All patterns of files that steer programs here, but for the program's own list. */
function namedIn({ patterns, started = [] }: ListedFiles): readonly string[] {
  return [...patterns, ...started];
}

interface Steering {
  path: string;
  /** In one of the lists as it is named; else because the folder itself is one for such files, such as `.github`. */
  isNamed: boolean;
  /** The program that the file steers; null for a file that is only in the person's list. */
  program: string | null;
}

/** The paths that a call would write and that steer programs. */
function findSteering({ permissions, targets, folder }: Action, more: readonly string[]): Steering[] {
  if (!permissions.includes('FilesystemWrite') || !targets?.path) return [];
  const above = folder.split(/[\\/]/).slice(-2).join('/');
  return targets.values.flatMap((path) => {
    const program = findSteeredProgram(path) ?? findSteeredProgram(`${above}/${path}`);
    const isNamed = isSteering(path, more);
    return program !== null || isNamed ? [{ path, isNamed, program }] : [];
  });
}

/** What allows a file that steers programs must name it; one that does so because of where the folder lies cannot be named. */
function isNamedBy(pattern: string | null, { path, isNamed }: Steering, more: readonly string[]): boolean {
  return isNamed && pattern !== null && namesSteering(pattern, path, more);
}

/** Whether a grant on a pattern that matches the call's targets would allow it. */
export function isGrantable(
  action: Action,
  pattern: string,
  rules: Pick<RuleSet, 'rules' | 'faults' | 'alwaysAsk'>,
): boolean {
  const patterns = namedIn(rules.alwaysAsk);
  return (
    (action.reversible || action.nameable) &&
    judge(action, rules, [], Date.now()).effect !== 'deny' &&
    findSteering(action, patterns).every((file) => isNamedBy(pattern, file, patterns))
  );
}

/** The denial of a call that cannot be judged, with the reason. */
export function invalidCallVerdict(text: string): Verdict {
  return verdictOf([fault(text, NOWHERE)]);
}

/** The verdict on what an agent wants to know: no rule, grant or mode can answer that, one that denies its tool still does. */
export function alwaysPut(verdict: Verdict): Verdict {
  if (verdict.effect !== 'allow') return verdict;
  const says = said(phrase('to_you'));
  return verdictOf([{ kind: 'default', id: 'default', effect: 'ask', ...says, place: NOWHERE }, ...verdict.steps]);
}

/** Whether a rule is about this call. Rules that deny or ask ignore case and need one matching target; rules that allow need all to match exactly. */
export function ruleApplies(rule: Rule, action: Action): boolean {
  const widens = rule.effect === 'allow';
  const names = widens ? [action.scope] : [action.agent, action.scope];
  const fits = (pattern: string, text: string): boolean => matches(pattern, text, { path: false, loose: !widens });
  if (rule.agent !== null && !names.some((name) => fits(rule.agent!, name))) return false;
  const tools = widens ? [action.tool] : namesOf(action);
  if (rule.tool !== null && !tools.some((name) => fits(rule.tool!, name))) return false;
  if (rule.permission !== null && !needs(rule.permission, action, widens)) return false;
  return rule.pattern === null || matchesTargets(rule.pattern, action.targets, widens);
}

function namesOf({ tool, like }: Action): string[] {
  return like === undefined ? [tool] : [tool, like];
}

/** A rule that allows a permission covers a call only where it needs no other; one that denies covers any that it needs. */
function needs(permission: Permission, { permissions }: Action, widens: boolean): boolean {
  if (!permissions.includes(permission)) return false;
  return !widens || permissions.every((one) => one === permission);
}

/** `widens`: for what allows, which must match every target exactly; otherwise one target matches, in any case, and unknown ones always do. */
export function matchesTargets(pattern: string, targets: Targets, widens: boolean): boolean {
  if (targets === null) return !widens;
  const { values, path, whole, limits } = targets;
  const fits = (value: string): boolean => matches(pattern, value, { path, loose: !widens });
  if (whole != null) {
    const literal = literalOf(pattern);
    const wholes = [whole, wholeText(targets)!];
    if (literal !== null && (widens ? wholes.includes(literal) : wholes.some(fits))) return true;
  }
  if (!widens) return values.some(fits) || matchesHidden(pattern, targets);
  const isLimited = (one: string): boolean => limits?.some(({ value }) => value === one) ?? false;
  return values.length > 0 && values.every((value) => (isLimited(value) ? namesValue(pattern, value) : fits(value)));
}

/** What a grant without wildcards is on is one command, as a whole and in the folder in which that began. */
export function grantMatches(pattern: string, targets: Targets): boolean {
  const literal = targets?.whole === undefined ? null : literalOf(pattern);
  return literal === null ? matchesTargets(pattern, targets, true) : literal === wholeText(targets!);
}

/** Whether a grant answers this call: the same agent, tool, server and folder, within its scope, time and number. */
export function grantCovers(grant: Grant, action: Action, now: number): boolean {
  return (
    isGrantLive(grant, now) &&
    grant.agent === action.scope &&
    grant.tool === action.tool &&
    grant.server === action.server &&
    grant.folder === action.folder &&
    (grant.scope !== 'conversation' || grant.conversationId === action.conversationId) &&
    (grant.scope !== 'workflow' || grant.workflowId === action.workflowId) &&
    grantMatches(grant.pattern, action.targets)
  );
}

/** Not revoked, not expired at `now` (in milliseconds), and with calls left. */
export function isGrantLive({ revokedAt, expiresAt, maxCalls, calls }: Grant, now: number): boolean {
  if (revokedAt !== null) return false;
  if (expiresAt !== null && !(Date.parse(expiresAt) > now)) return false;
  return maxCalls === null || calls < maxCalls;
}

/** The first one decides. */
function verdictOf(candidates: readonly Omit<VerdictStep, 'decides'>[]): Verdict {
  const steps = candidates.map((step, index) => ({ ...step, decides: index === 0 }));
  const { effect, id: ruleId, text: reason } = steps[0] ?? { ...fault('Nothing allows it', NOWHERE) };
  return { effect, ruleId, reason, steps };
}

type Candidate = Omit<VerdictStep, 'decides'>;

function ceiling(text: string): Candidate {
  return { kind: 'ceiling', id: 'ceiling', effect: 'deny', text, place: NOWHERE };
}

function fault(text: string, place: Place): Candidate {
  return { kind: 'fault', id: 'fault', effect: 'deny', text, place };
}

function ruled(rule: Rule): Candidate {
  return { kind: 'rule', id: rule.id, effect: rule.effect, ...said(rulePhrase(rule)), place: rule.place };
}

function createSteeringCandidate({ path, program }: Steering, alwaysAsk: ListedFiles): Candidate {
  const isStarted = program === null && isSteering(path, alwaysAsk.started ?? []);
  const why =
    program !== null
      ? phrase('steers', { path, program })
      : isStarted
        ? phrase('starts_server', { path })
        : phrase('listed', { path, list: listName('always_ask', alwaysAsk) });
  const place = program !== null || isStarted ? NOWHERE : alwaysAsk.place;
  return { kind: 'default', id: STEERING_ID, effect: 'ask', ...said(why), place };
}

function heldBack(text: string): Candidate {
  return { kind: 'default', id: 'held', effect: 'ask', text, place: NOWHERE };
}

function granted(grant: Grant): Candidate {
  return { kind: 'grant', id: ruleIdOf(grant.id), effect: 'allow', ...said(grantPhrase(grant)), place: NOWHERE };
}

const said = (says: Phrase) => ({ text: sentenceOf(says), says });

export function grantPhrase({ agent, tool, pattern, scope }: Grant): Phrase {
  return phrase('grant', { agent, tool, pattern, scope });
}

function requiredBy(action: Action): Candidate[] {
  const { requires, permissions, agent } = action;
  if (requires.length === 0) return [];
  const own: readonly string[] = [...namesOf(action), ...permissions];
  const found = requires.find((one) => own.includes(one));
  if (found === undefined) return [];
  const says = said(phrase('requires', { agent, what: found }));
  return [{ kind: 'agent', id: 'agent:requires_approval', effect: 'ask', ...says, place: NOWHERE }];
}

/** `isUnnamed`: a rule would allow the start, but does not name it. */
function usual(action: Action, isUnnamed: boolean): Candidate {
  const { asks, reversible, nameable, risk, mode, tool, starts } = action;
  const limit = findLimitReason(action.targets);
  const base = { kind: 'default', place: NOWHERE } as const;
  if (!asks)
    return {
      ...base,
      id: 'default',
      effect: 'allow',
      ...said(phrase('changes_nothing', { tool })),
    };
  if (!reversible) {
    const says = nameable ? (limit ?? phrase('irreversible_named', { tool })) : phrase('irreversible');
    return { ...base, id: 'default', effect: 'ask', ...said(says) };
  }
  if (mode === 'auto' || (mode === 'selective' && risk === 'low')) {
    return { ...base, id: `mode:${mode}`, effect: 'allow', ...said(phrase('mode_allows', { mode })) };
  }
  return {
    ...base,
    id: 'default',
    effect: 'ask',
    ...said(
      isUnnamed
        ? phrase(starts === 'temporary' ? 'spawn_named' : 'start_named', { tool })
        : (limit ?? phrase('no_rule', { tool })),
    ),
  };
}

export function rulePhrase({ effect, agent, tool, permission, pattern, scope, place: { file, line } }: Rule): Phrase {
  return phrase('rule', { effect, agent, tool, permission, pattern, scope, file, line: line ?? 1 });
}
