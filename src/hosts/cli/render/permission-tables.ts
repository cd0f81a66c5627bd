/** Rules and grants as tables. Pure. */
import { relative } from 'node:path';
import type { Grant, Rule } from '#contract/permission.ts';
import { table } from '../terminal/table.ts';
import { visible } from '../terminal/visible.ts';
import { referenceOf } from './rule-reference.ts';

export function ruleTable(rules: readonly Rule[], folder: string, width: number): string[] {
  const columns = [
    ...[
      { title: 'ID' },
      { title: 'RULE' },
      { title: 'TOOL OR PERMISSION' },
      { title: 'ON', min: 8 },
      { title: 'AGENT' },
    ],
    { title: 'WRITTEN IN', rank: 1, min: 12 },
  ];
  const rows = rules.map((rule) => rowOf(rule, folder));
  return table(columns, rows, width);
}

function rowOf(rule: Rule, folder: string): string[] {
  const { effect, tool, permission, pattern, agent, place } = rule;
  return [
    referenceOf(rule),
    effect,
    visible(tool ?? permission ?? ''),
    visible(pattern ?? 'anything'),
    visible(agent ?? 'all'),
    visible(place.file === null ? '' : `${within(folder, place.file)}:${place.line}`),
  ];
}

/** A file of the folder by its short name, any other by its whole one. */
function within(folder: string, file: string): string {
  const path = relative(folder, file);
  return path.startsWith('..') ? file : path;
}

export function grantTable(grants: readonly Grant[], width: number): string[] {
  const columns = [
    ...[{ title: 'GRANT' }, { title: 'AGENT' }, { title: 'TOOL' }, { title: 'ON', min: 8 }],
    ...[{ title: 'FOR' }, { title: 'CALLS', rank: 1 }, { title: 'UNTIL', rank: 2 }],
    { title: 'FOLDER', rank: 3, min: 12 },
  ];
  const rows = grants.map(({ id, agent, tool, pattern, scope, calls, maxCalls, expiresAt, folder }) => [
    ...[id, visible(agent), tool, visible(pattern), scope],
    maxCalls === null ? String(calls) : `${calls} of ${maxCalls}`,
    expiresAt ?? 'you revoke it',
    visible(folder),
  ]);
  return table(columns, rows, width);
}
