/** What a sub-agent's own actions will ask, in words made from what decides it: its tools, the mode, rules and grants. */
import type { ApprovalMode, ApprovePolicy } from '#contract/agent.ts';
import type { OwnActions } from '#contract/approval.ts';
import type { Grant, Rule } from '#contract/permission.ts';
import { type Action, grantText, isGrantLive, ruleApplies, ruleText } from './judge.ts';

/** `calls`: one action for each tool that the agent has, with unknown targets. `grants`: those that may be about them. */
export function ownActions(
  calls: readonly Action[],
  {
    approve,
    rules,
    grants,
    now,
  }: { approve: ApprovePolicy; rules: readonly Rule[]; grants: readonly Grant[]; now: number },
): OwnActions {
  const decided = decidedBefore(calls, rules, grants, now);
  const sentences = (mode: ApprovalMode | null): string => {
    if (approve === 'all')
      return 'This workflow is run with a yes to everything that no rule denies: nothing will be asked.';
    if (approve === 'none') return 'This workflow is run with a no to every question.';
    return [mode === null ? NOTHING : MODES[mode], ...decided].join(' ');
  };
  return {
    writers: calls.filter(({ asks }) => asks).map(({ tool }) => tool),
    byMode: { manual: sentences('manual'), selective: sentences('selective'), auto: sentences('auto') },
    without: sentences(null),
  };
}

const NOTHING = 'It has no tool that writes or reaches out.';
const STEERING = 'files that run code or steer programs are always asked about';
const MODES = {
  manual: 'Each of its own actions that writes or reaches out will be asked about first.',
  selective: `Of its own actions, those of low risk, such as making a new file, will not be asked about; the others will, and ${STEERING}.`,
  auto: `Its own actions will not be asked about where they can be undone; ${STEERING}.`,
} as const satisfies Record<ApprovalMode, string>;

/** What goes before the mode: rules and grants about any of the calls, and what the definition requires. */
function decidedBefore(
  calls: readonly Action[],
  rules: readonly Rule[],
  grants: readonly Grant[],
  now: number,
): string[] {
  const about = rules.filter((rule) => calls.some((call) => ruleApplies({ ...rule, pattern: null }, call)));
  const live = grants.filter((grant) => isGrantLive(grant, now) && calls.some((call) => grant.tool === call.tool));
  const required = [...new Set(calls.flatMap(({ requires }) => requires))];
  const all = [
    ...about.map(ruleText),
    ...live.map(grantText),
    ...(required.length === 0 ? [] : [`Its definition wants you to be asked about ${required.join(', ')}`]),
  ];
  return all.length === 0 ? [] : [`But what was decided before goes first: ${all.join('; ')}.`];
}
