/** Changes a file of rules, or only shows what the change would decide. */
import type { RuleEdit, RuleFile, RulePreview, RuleScope } from '#contract/permissions/rule-edit.ts';
import type { Client } from '#contract/rpc.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';

export interface RuleOptions {
  cwd?: string;
  /** True: writes nothing. */
  dryRun?: boolean;
  json?: boolean;
}

interface FoundRule {
  folder: string;
  scope: RuleScope;
  index: number;
  file: RuleFile;
}

/** Finds the rule of an id such as `user:2-7f3a9c12`, also if the rule has another number now. */
export async function findRule(client: Client, word: string, folder: string): Promise<FoundRule> {
  const { foundBy, parsedReference } = await import('../../render/rule-reference.ts');
  const named = parsedReference(word);
  if (!named) throw new UsageError(`"${visible(word)}" is not the id of a rule: see "triad permissions list"`);
  const file = await findRuleFile(client, folder, named.scope);
  const index = foundBy(file.rules, named);
  if (index === null) throw new UsageError(`No rule is ${visible(word)} any more: see "triad permissions list"`);
  return { folder, scope: named.scope, index, file };
}

export async function findRuleFile(client: Client, folder: string, scope: RuleScope): Promise<RuleFile> {
  const { files } = await client.request('rules.list', { folder });
  return files.find((one) => one.scope === scope)!;
}

const DONE = {
  add: 'Written to',
  change: 'Written to',
  move: 'Moved in',
  remove: 'Removed from',
} as const satisfies Record<RuleEdit['kind'], string>;

const HOLDS = {
  user: 'It holds in every folder.',
  project: 'It holds in this folder only.',
} as const satisfies Record<RuleScope, string>;

export async function changeRule(
  { screen }: Io,
  client: Client,
  { folder, scope, edit, file }: Omit<FoundRule, 'index'> & { edit: RuleEdit },
  { dryRun, json }: RuleOptions,
): Promise<void> {
  const change = { scope, base: file.hash, edit };
  const removed = edit.kind === 'remove' ? `${scope}:${edit.index + 1}` : null;
  const preview = await client.request('rules.preview', { folder, change });
  if (!dryRun) {
    const { hash, line } = await client.request('rules.change', { folder, change });
    if (json) return screen.data(`${JSON.stringify({ file: file.file, line, hash, preview }, null, 2)}\n`);
    const where = `${DONE[edit.kind]} ${visible(file.file)}${line === null ? '' : `:${line}`}`;
    screen.note(edit.kind === 'add' ? `${where}. ${HOLDS[scope]}` : where);
    return printPreview(screen, preview, removed, false);
  }
  if (json) return screen.data(`${JSON.stringify({ file: file.file, preview }, null, 2)}\n`);
  screen.note('Nothing was written.');
  await printPreview(screen, preview, removed, true);
}

/** Prints the effect of a change. `whole`: with each call whose verdict changes. */
async function printPreview(
  screen: Io['screen'],
  preview: RulePreview,
  removed: string | null,
  whole: boolean,
): Promise<void> {
  const { previewLines } = await import('../../render/rule-preview.ts');
  const { summary, warnings, calls } = previewLines(preview, removed);
  for (const line of warnings) screen.note(`triad: ${line}`);
  for (const line of [...summary, ...(whole ? calls : [])]) screen.data(`${line}\n`);
}
