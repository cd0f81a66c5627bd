/** What a sub-agent's own actions will ask, in words made from what decides it: its tools, the mode, rules and grants. */
import type { ApprovalMode, ApprovePolicy } from '#contract/agent.ts';
import type { Asking, CallGroup, OwnActions } from '#contract/approval.ts';
import type { Effect, Grant, Rule } from '#contract/permission.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import { NO_FILES } from '../settings/listed-files.ts';
import { type Action, grantPhrase, isGrantLive, judge, ruleApplies, rulePhrase } from './judge.ts';

/** The calls that the agent could make, with unknown targets: of its own tools, and of all that it may be given. */
interface Calls {
  own: readonly Action[];
  possible: readonly Action[];
  /** Tools that it has whatever its envelope names. */
  always?: ReadonlySet<string>;
}

interface Decided {
  approve: ApprovePolicy;
  rules: readonly Rule[];
  /** Those that may be about the calls. */
  grants: readonly Grant[];
  /** In milliseconds. */
  now: number;
}

export function ownActions({ own, possible, always = new Set() }: Calls, decided: Decided): OwnActions {
  const said = (mode: ApprovalMode | null): Said => {
    const { approve } = decided;
    if (approve === 'all') return { first: phrase('all_yes') };
    if (approve === 'none') return { first: phrase('all_no') };
    if (mode === null) return { first: phrase('no_writer'), decided: decidedBefore(own, decided) };
    return { first: phrase('mode', { mode }), decided: decidedBefore(possible, decided), last: phrase('steering') };
  };
  const [manual, selective, auto, without] = [said('manual'), said('selective'), said('auto'), said(null)];
  return {
    writers: possible.filter(({ asks }) => asks).map(({ tool }) => tool),
    byMode: { manual: inEnglish(manual), selective: inEnglish(selective), auto: inEnglish(auto) },
    without: inEnglish(without),
    says: {
      byMode: { manual: phrasesOf(manual), selective: phrasesOf(selective), auto: phrasesOf(auto) },
      without: phrasesOf(without),
    },
    calls: groupsOf(possible, always, decided),
  };
}

/** Together where nothing tells them apart; those that need no permission too, so that a tool that is not there is unknown. */
function groupsOf(calls: readonly Action[], always: ReadonlySet<string>, decided: Decided): CallGroup[] {
  const described = calls.map((call) => {
    const asking = askingByMode(call, decided);
    const permissions = [...call.permissions].sort();
    return { tool: call.tool, permissions, asking, ...(always.has(call.tool) ? { always: true as const } : {}) };
  });
  const alike = Map.groupBy(described, ({ tool: _, ...rest }) => JSON.stringify(rest));
  return [...alike.values()].map((group) => {
    const { tool: _, ...rest } = group[0]!;
    return { tools: group.map(({ tool }) => tool), ...rest };
  });
}

/** What becomes of a call of which only the tool is known. */
function askingByMode(call: Action, { approve, rules, grants, now }: Decided): Record<ApprovalMode, Asking> {
  const about = rules.filter((rule) => ruleApplies({ ...rule, pattern: null }, call));
  const whole = { rules: about.filter(({ pattern }) => pattern === null), faults: [], alwaysAsk: NO_FILES };
  const inParts = (effect: Effect): boolean => about.some((rule) => rule.pattern !== null && rule.effect === effect);
  const held = grants.some((grant) => grant.tool === call.tool && isGrantLive(grant, now));
  const kinds = kindsOf(call);
  const findAsking = (mode: ApprovalMode): Asking => {
    const effects = kinds.map((one) => judge({ ...one, mode }, whole, [], now).effect);
    if (effects.includes('deny')) return 'refused';
    if (approve === 'all') return 'none';
    const asks = effects.includes('ask');
    if (approve === 'none') return asks ? 'refused' : 'none';
    if (asks) return effects.includes('allow') || inParts('allow') || held || isNewFile(call, mode) ? 'some' : 'all';
    return inParts('ask') || writesFiles(call) ? 'some' : 'none';
  };
  const manual = findAsking('manual');
  // The mode only decides about calls that ask by default, and about new files.
  return call.asks || writesFiles(call)
    ? { manual, selective: findAsking('selective'), auto: findAsking('auto') }
    : { manual, selective: manual, auto: manual };
}

/** As it would be judged: whether what a command does can be undone is known only with the command. */
function kindsOf(call: Action): Action[] {
  if (call.permissions.includes('Execute')) return [call, { ...call, reversible: false, nameable: true }];
  // What a server's tool changes can never be undone here.
  return call.server !== undefined && call.asks ? [{ ...call, reversible: false, nameable: true }] : [call];
}

/** Files that steer programs are asked about whatever the mode says. */
const writesFiles = ({ permissions }: Action): boolean => permissions.includes('FilesystemWrite');

/** Which the mode lets pass, as of low risk. */
const isNewFile = (call: Action, mode: ApprovalMode): boolean =>
  mode === 'selective' && writesFiles(call) && !call.permissions.includes('Execute');

/** `decided`: one for each thing that goes before the mode, such as a rule. */
interface Said {
  first: Phrase;
  decided?: Phrase[];
  last?: Phrase;
}

function phrasesOf({ first, decided = [], last }: Said): Phrase[] {
  return [first, ...(decided.length === 0 ? [] : [phrase('decided_before'), ...decided]), ...(last ? [last] : [])];
}

function inEnglish({ first, decided = [], last }: Said): string {
  const before = `${sentenceOf(phrase('decided_before'))}: ${decided.map(sentenceOf).join('; ')}`;
  const all = [sentenceOf(first), ...(decided.length === 0 ? [] : [before]), ...(last ? [sentenceOf(last)] : [])];
  return `${all.join('. ')}.`;
}

/** What goes before the mode: rules and grants about any of the calls, and what the definition requires. */
function decidedBefore(calls: readonly Action[], { rules, grants, now }: Decided): Phrase[] {
  const about = rules.filter((rule) => calls.some((call) => ruleApplies({ ...rule, pattern: null }, call)));
  const live = grants.filter((grant) => isGrantLive(grant, now) && calls.some((call) => grant.tool === call.tool));
  const required = [...new Set(calls.flatMap(({ requires }) => requires))];
  return [
    ...about.map(rulePhrase),
    ...[...new Set(live)].map(grantPhrase),
    ...(required.length === 0 ? [] : [phrase('definition_asks', { what: required.join(', ') })]),
  ];
}
