/** What a change of the rules would decide about the last calls, in lines. Pure. */
import type { JudgedCall, RuleDanger, RulePreview } from '#contract/permissions/rule-edit.ts';
import { visible } from '../terminal/visible.ts';

const DANGERS: Readonly<Record<RuleDanger, string>> = {
  spawns:
    'it lets temporary sub-agents start without a question: their lead chooses their names, prompts and tools, up to all that it has itself',
  starts: 'it lets sub-agents start without a question: agents that it names, with whatever task their lead gives them',
  irreversible: 'it can let through what cannot be undone, without a question',
  outside: 'it can let through what reaches beyond the folder, without a question',
};
const STARTS_NOTHING =
  'it does not allow the start of sub-agents: a rule for that names the tool whole, and a pattern (a temporary one: in your own file)';
const BOTH_NAMES =
  'it lets no temporary sub-agent start: its pattern must match both the name and "spawned:" before the name';
const WHY = {
  arguments: 'its arguments were cut off, or did not fit',
  tool: 'there is no such tool now',
  gone: 'what it was about is not there any more, or not as it was',
  refused: 'its tool refuses it, whatever rules say',
} as const satisfies Record<RulePreview['untold'][number]['why'], string>;

/** `removed`: the id of the rule that is taken out. */
export function previewLines(
  { calls, untold, rule, dangers, startsNothing, bothNames, shadowedBy, untrusted, losesTrust }: RulePreview,
  removed: string | null,
): { summary: string[]; warnings: string[]; calls: string[] } {
  const isIts = ({ before, after }: JudgedCall): boolean =>
    rule ? after.ruleId === rule.id : before.ruleId === removed;
  const changed = calls.filter(({ before, after }) => before.effect !== after.effect);
  const turns = Map.groupBy(changed, ({ before, after }) => `${before.effect} → ${after.effect}`);
  const looked = calls.length + untold.length;
  return {
    summary: [
      `Of the last ${looked} ${looked === 1 ? 'call' : 'calls'} here it decides ${calls.filter(isIts).length}.`,
      ...[...turns].map(([turn, some]) => `  ${String(some.length).padStart(2)}  ${turn}`),
      ...(untold.length > 0 ? [`  ${String(untold.length).padStart(2)}  nobody can tell`] : []),
    ],
    warnings: [
      ...dangers.map((danger) => DANGERS[danger]),
      ...(bothNames === null ? [] : [`${BOTH_NAMES}, as ${visible(bothNames)} does`]),
      ...(startsNothing ? [STARTS_NOTHING] : []),
      ...(shadowedBy === null ? [] : [`it would never decide: ${shadowedBy} always does before it`]),
      ...(untrusted ? ['it does not hold until you trust the project’s file as it is then (triad trust)'] : []),
      ...(losesTrust ? ['the project’s file allows nothing any more until you trust it again (triad trust)'] : []),
    ],
    calls: [
      ...changed.map(({ before, after, tool, target, agent }) => {
        return `${before.effect} → ${after.effect}  ${visible(tool)}  ${visible(target)}  (${visible(agent)})`;
      }),
      ...untold.map(({ tool, target, why }) => `?  ${visible(tool)}  ${visible(target)}: ${WHY[why]}`),
    ],
  };
}
