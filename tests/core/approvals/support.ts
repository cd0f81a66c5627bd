/** Calls, rules and grants with everything that a test does not care about. */
import type { Grant, Rule } from '#contract/permission.ts';
import type { Action } from '#core/approvals/judge.ts';

export const NOW = Date.parse('2026-03-01T12:00:00.000Z');

/** A write of `docs/a.md` by the lead. */
export function actionOf(parts: Partial<Action>): Action {
  return {
    agent: 'lead',
    scope: 'lead',
    tool: 'write_file',
    permissions: ['FilesystemWrite'],
    targets: { values: ['docs/a.md'], path: true },
    folder: '/work',
    requires: [],
    ceiling: null,
    starts: null,
    held: null,
    conversationId: 'c',
    workflowId: 'w',
    asks: true,
    risk: 'medium',
    reversible: true,
    nameable: false,
    mode: 'manual',
    ...parts,
  };
}

export function ruleOf(parts: Partial<Rule>): Rule {
  const place = { file: '/config.toml', line: 1 };
  const whole = { agent: null, tool: null, permission: null, pattern: null, place };
  return { id: `user:${parts.effect}`, scope: 'user', effect: 'ask', ...whole, ...parts };
}

/** Holds for `actionOf({})`. */
export function grantOf(parts: Partial<Grant> = {}): Grant {
  return {
    id: 'g',
    agent: 'lead',
    tool: 'write_file',
    pattern: 'docs/*.md',
    folder: '/work',
    scope: 'project',
    conversationId: 'c',
    workflowId: 'w',
    runId: 'r',
    parentRunId: null,
    askedBy: 'lead',
    approvalId: 'a',
    givenAt: '2026-03-01T11:00:00.000Z',
    expiresAt: null,
    maxCalls: null,
    calls: 0,
    revokedAt: null,
    ...parts,
  };
}
