/** What a sub-agent's own actions will ask, in words made from what decides it: its tools, the mode, rules and grants. */
import type { ApprovalMode, ApprovePolicy } from '#contract/agent.ts';
import type { OwnActions } from '#contract/approval.ts';
import type { Grant, Rule } from '#contract/permission.ts';
import { type Action, grantText, isGrantLive, ruleApplies, ruleText } from './judge.ts';

/** The calls that the agent could make, with unknown targets: of its own tools, and of all that it may be given. */
interface Calls {
  own: readonly Action[];
  possible: readonly Action[];
}

interface Decided {
  approve: ApprovePolicy;
  rules: readonly Rule[];
  /** Those that may be about the calls. */
  grants: readonly Grant[];
  /** In milliseconds. */
  now: number;
}

export function ownActions({ own, possible }: Calls, decided: Decided): OwnActions {
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
  };
}

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
