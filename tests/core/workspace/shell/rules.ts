/** Applies one rule to a command line. */
import type { Effect } from '#contract/permission.ts';
import { ruleApplies } from '#core/approvals/judge.ts';
import { readCommandLine } from '#core/workspace/shell/commands.ts';
import { actionOf, ruleOf } from '../../approvals/support.ts';

export function applies(line: string, effect: Effect, pattern: string): boolean {
  const targets = { ...readCommandLine(line), path: false };
  const action = actionOf({ tool: 'shell', permissions: ['FilesystemWrite'], targets });
  return ruleApplies(ruleOf({ effect, tool: 'shell', pattern }), action);
}
