/** What a sub-agent's own actions will ask, in words made from what decides it: its tools, the mode, rules and grants. */
import type { ApprovalMode, ApprovePolicy } from '#contract/agent.ts';
import type { Asking, CallGroup, OwnActions } from '#contract/approval.ts';
import type { Effect, Grant, Rule } from '#contract/permission.ts';
import { NO_FILES } from '../settings/listed-files.ts';
import { type Action, grantText, isGrantLive, judge, ruleApplies, ruleText } from './judge.ts';

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
  const sentences = (mode: ApprovalMode | null): string => {
    const { approve } = decided;
    if (approve === 'all')
      return 'This workflow is run with a yes to everything that no rule denies: nothing will be asked.';
    if (approve === 'none') return 'This workflow is run with a no to every question.';
    if (mode === null) return [NOTHING, ...decidedBefore(own, decided)].join(' ');
    return [MODES[mode], ...decidedBefore(possible, decided), STEERING].join(' ');
  };
  return {
    writers: possible.filter(({ asks }) => asks).map(({ tool }) => tool),
    byMode: { manual: sentences('manual'), selective: sentences('selective'), auto: sentences('auto') },
    without: sentences(null),
    calls: groupsOf(possible, always, decided),
  };
}

/** Together where nothing tells them apart; those that need no permission too, so that a tool that is not there is unknown. */
function groupsOf(calls: readonly Action[], always: ReadonlySet<string>, decided: Decided): CallGroup[] {
  const described = calls.map((call) => {
    const asking = {
      manual: askingOf(call, 'manual', decided),
      selective: askingOf(call, 'selective', decided),
      auto: askingOf(call, 'auto', decided),
    };
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
function askingOf(call: Action, mode: ApprovalMode, { approve, rules, grants, now }: Decided): Asking {
  const about = rules.filter((rule) => ruleApplies({ ...rule, pattern: null }, call));
  const whole = about.filter(({ pattern }) => pattern === null);
  const inParts = (effect: Effect): boolean => about.some((rule) => rule.pattern !== null && rule.effect === effect);
  const held = grants.some((grant) => grant.tool === call.tool && isGrantLive(grant, now));
  const effects = new Set(
    kindsOf(call).map(
      (one) => judge({ ...one, mode }, { rules: whole, faults: [], alwaysAsk: NO_FILES }, [], now).effect,
    ),
  );
  if (effects.has('deny')) return 'refused';
  if (approve === 'all') return 'none';
  const asks = effects.has('ask');
  if (approve === 'none') return asks ? 'refused' : 'none';
  if (asks) return effects.has('allow') || inParts('allow') || held || isNewFile(call, mode) ? 'some' : 'all';
  return inParts('ask') || writesFiles(call) ? 'some' : 'none';
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

const NOTHING = 'It has no tool that writes files or reaches out.';
const STEERING = 'Files that run code or steer programs are asked about unless a rule or a grant names them.';
const MODES = {
  manual: 'Each of its own actions that writes a file or reaches out will be asked about first.',
  selective:
    'Of its own actions, those of low risk, such as making a new file, will not be asked about; the others will.',
  auto: 'Its own actions will not be asked about where they can be undone, or where it says so of a plan in its own words.',
} as const satisfies Record<ApprovalMode, string>;

/** What goes before the mode: rules and grants about any of the calls, and what the definition requires. */
function decidedBefore(calls: readonly Action[], { rules, grants, now }: Decided): string[] {
  const about = rules.filter((rule) => calls.some((call) => ruleApplies({ ...rule, pattern: null }, call)));
  const live = grants.filter((grant) => isGrantLive(grant, now) && calls.some((call) => grant.tool === call.tool));
  const required = [...new Set(calls.flatMap(({ requires }) => requires))];
  const all = [
    ...about.map(ruleText),
    ...[...new Set(live)].map(grantText),
    ...(required.length === 0 ? [] : [`Its definition wants you to be asked about ${required.join(', ')}`]),
  ];
  if (all.length === 0) return [];
  const order = 'denying first, then the project’s file before yours, and in one file asking before allowing';
  return [`What was decided before goes before that (${order}): ${all.join('; ')}.`];
}
