/** What rules decide about the newest calls of a folder, and what they would decide after a change. */
import type { Rule, Verdict } from '#contract/permission.ts';
import type { JudgedCall, RuleDanger, RulePreview, UntoldCall } from '#contract/permissions/rule-edit.ts';
import { type Action, alwaysPut, mayStart } from '../approvals/judge.ts';
import type { RuleDraft } from '../approvals/rule-edits.ts';
import { parseRules, type RuleSet } from '../approvals/rule-files.ts';
import { shadowedIn } from '../approvals/shadowed.ts';
import { alternativesOf, matches } from '../base/pattern.ts';
import { cutAtCodePoint } from '../base/text.ts';
import { keptAccess } from '../mcp/look.ts';
import { mcpTools } from '../mcp/mcp-tool.ts';
import type { Tool } from '../tools/tool.ts';
import type { Parts } from './explain.ts';
import { scopeOf, temporaryNameOf } from './memory.ts';
import { type PastAction, pastActions } from './past-actions.ts';
import { type PastCall, pastCalls } from './past-calls.ts';

/** Calls that are looked at. */
const NEWEST = 50;
const TARGET_CHARS = 200;

/** `draft`: what a change would make of a file; null for the rules as they are. */
export async function previewRules(parts: Parts, folder: string, draft: RuleDraft | null): Promise<RulePreview> {
  const { permissions, store } = parts;
  const drafts = new Map(draft ? [[draft.file, draft.after]] : []);
  const [before, after, past] = await Promise.all([
    permissions.rules(folder),
    permissions.rulesWith(folder, drafts),
    pastCalls(store, folder, NEWEST),
  ]);
  const calls: JudgedCall[] = [];
  const untold: UntoldCall[] = [];
  for (const one of past) {
    const actions = await pastActions(parts, one, folder);
    if (typeof actions === 'string') untold.push({ ...shownOf(one, null), item: 0, why: actions });
    else calls.push(...actions.map((action) => judged(parts, one, action, { before, after })));
  }
  const rule = draft && ruleOf(draft);
  const shadow = rule && shadowedIn(after.rules).find(({ id }) => id === rule.id);
  return {
    calls,
    untold,
    rule,
    shadowedBy: shadow?.by ?? null,
    ...(rule?.effect === 'allow'
      ? await allowedBy(parts, folder, rule)
      : { dangers: [], startsNothing: false, bothNames: null }),
    losesTrust: draft?.scope === 'project' && draft.before !== null && before.trusted && !after.trusted,
    untrusted: rule !== null && rule.effect === 'allow' && rule.scope === 'project' && !after.trusted,
  };
}

/** The rule that the change is about; null for one that is taken out. */
function ruleOf({ index, after, file, scope }: RuleDraft): Rule | null {
  return index === null ? null : (parseRules(after, file, scope).rules[index] ?? null);
}

function judged(
  { permissions }: Parts,
  past: PastCall,
  { action, item, alwaysPut: isPut }: PastAction,
  { before, after }: { before: RuleSet; after: RuleSet },
): JudgedCall {
  const decided = (rules: RuleSet): Pick<Verdict, 'effect' | 'ruleId'> => {
    const verdict = permissions.verdict(action, rules);
    const { effect, ruleId } = isPut ? alwaysPut(verdict) : verdict;
    return { effect, ruleId };
  };
  return {
    ...shownOf(past, action),
    item,
    before: decided(before),
    after: decided(after),
    dangers: dangersOf(action),
  };
}

function shownOf({ conversationId, run, call, at }: PastCall, action: Action | null) {
  const about = action?.targets?.values.join(' · ') ?? JSON.stringify(call.malformed ?? call.input) ?? '';
  return {
    conversationId,
    workflowId: run.workflowId,
    runId: run.id,
    toolCallId: call.id,
    at,
    agent: run.agent,
    tool: call.name,
    target: cutAtCodePoint(about, TARGET_CHARS),
  };
}

function dangersOf({ asks, reversible, permissions, server, starts }: Action): RuleDanger[] {
  const isLost = asks && !reversible;
  const reaches = asks && (server !== undefined || permissions.includes('NetworkAccess'));
  return [
    ...(starts === null ? [] : [starts === 'temporary' ? ('spawns' as const) : ('starts' as const)]),
    ...(isLost ? (['irreversible'] as const) : []),
    ...(reaches || (isLost && permissions.includes('Execute')) ? (['outside'] as const) : []),
  ];
}

function isAbout(rule: Rule, { name, permissions }: Tool): boolean {
  if (rule.tool !== null) return matches(rule.tool, name, { path: false, loose: false });
  return permissions.length > 0 && permissions.every((one) => one === rule.permission);
}

function letsStart(rule: Rule, { name: tool, startsAgents }: Tool): boolean {
  return mayStart(rule, { tool, starts: startsAgents ?? null });
}

/** Whether a rule that allows is about what starts sub-agents too, and does not let that through: it is asked about each time. */
function startsNothing(rule: Rule, tools: readonly Tool[]): boolean {
  return tools.some((tool) => isAbout(rule, tool) && !letsStart(rule, tool));
}

/** Ids of such rules. */
export function startingNothing(rules: readonly Rule[], tools: readonly Tool[]): string[] {
  return rules.filter((rule) => rule.effect === 'allow' && startsNothing(rule, tools)).map(({ id }) => id);
}

/** What a rule that allows may let through of all that its tools can do. */
async function allowedBy(
  { tools, mcp }: Parts,
  folder: string,
  rule: Rule,
): Promise<Pick<RulePreview, 'dangers' | 'startsNothing' | 'bothNames'>> {
  const all = [...tools.all(), ...mcpTools(await mcp.heardOffers(folder), keptAccess(mcp.listings))];
  const about = all.filter((tool) => isAbout(rule, tool));
  // Only the person's own rule, with tool and pattern, lets through what cannot be undone: see `judge`.
  const names = rule.scope === 'user' && rule.pattern !== null ? about.filter(({ name }) => name === rule.tool) : [];
  const loses = ({ permissions, server }: Tool): boolean => server !== undefined || permissions.includes('Execute');
  const reaches = ({ permissions, server }: Tool): boolean =>
    server !== undefined || permissions.includes('NetworkAccess');
  const starting = about.filter((tool) => tool.startsAgents !== undefined && letsStart(rule, tool));
  const isSpawn = ({ startsAgents }: Tool): boolean => startsAgents === 'temporary';
  const spawns = starting.some(isSpawn);
  const bothNames = spawns ? bothNamesFor(rule.pattern ?? '') : null;
  return {
    dangers: [
      ...(spawns && bothNames === null ? (['spawns'] as const) : []),
      ...(starting.some((tool) => !isSpawn(tool)) ? (['starts'] as const) : []),
      ...(names.some(loses) ? (['irreversible'] as const) : []),
      ...(about.some(reaches) ? (['outside'] as const) : []),
    ],
    startsNothing: startsNothing(rule, about),
    bothNames,
  };
}

/**
 * The pattern that lets temporary agents start where this one lets none, as it has to match both names of one: see `judge`.
 * Null where it lets one start, or where alternatives with wildcards may together.
 */
function bothNamesFor(pattern: string): string | null {
  const alternatives = alternativesOf(pattern);
  const names = alternatives.map((one) => temporaryNameOf(one) ?? one);
  const has = (text: string): boolean => matches(pattern, text.replace(/\\(.)/g, '$1'), { path: false, loose: false });
  if (names.some((name) => has(name) && has(scopeOf(name, 'spawn')))) return null;
  if (alternatives.length > 1 && /(?<!\\)[*?]/.test(pattern)) return null;
  return `{${[...new Set(names)].flatMap((name) => [name, scopeOf(name, 'spawn')]).join(',')}}`;
}
