/** `triad permissions add` and `remove`: a rule is written or taken out, or only what that would decide is said. */
import { Permission } from '#contract/agent.ts';
import { Effect } from '#contract/permission.ts';
import type { RuleEdit, RulePreview, RuleScope } from '#contract/permissions/rule-edit.ts';
import type { Client } from '#contract/rpc.ts';
import { previewLines } from '../render/rule-preview.ts';
import { UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';

interface Options {
  folder: string;
  /** Nothing is written. */
  dryRun?: boolean;
  json?: boolean;
}

interface NewRule {
  effect: string;
  /** A tool, with wildcards, or a permission by its name. */
  about: string;
  on?: string | undefined;
  agent?: string | undefined;
  project?: boolean | undefined;
}

export async function addRule(
  io: Io,
  client: Client,
  { effect: word, about, on, agent, project }: NewRule,
  options: Options,
): Promise<void> {
  const effect = Effect.safeParse(word).data;
  if (!effect) throw new UsageError(`"${visible(word)}" is no effect: write allow, ask or deny`);
  const permission = Permission.safeParse(about).data;
  const rule = {
    effect,
    ...(permission === undefined ? { tool: about } : { permission }),
    ...(agent === undefined ? {} : { agent }),
    ...(on === undefined ? {} : { pattern: on }),
  };
  await changeRule(io, client, { scope: project ? 'project' : 'user', edit: { kind: 'add', rule } }, options);
}

/** `id`: as the list shows it, such as `user:2`. */
export async function removeRule(io: Io, client: Client, id: string, options: Options): Promise<void> {
  const [, scope, number] = /^(user|project):([1-9]\d{0,3})$/.exec(id) ?? [];
  if (scope === undefined)
    throw new UsageError(`"${visible(id)}" is not the id of a rule: see "triad permissions list"`);
  const edit = { kind: 'remove', index: Number(number) - 1 } as const;
  await changeRule(io, client, { scope: scope as RuleScope, edit }, options);
}

async function changeRule(
  { screen }: Io,
  client: Client,
  { scope, edit }: { scope: RuleScope; edit: RuleEdit },
  { folder, dryRun, json }: Options,
): Promise<void> {
  const { files } = await client.request('rules.list', { folder });
  const file = files.find((one) => one.scope === scope);
  const change = { scope, base: file?.hash ?? null, edit };
  const removed = edit.kind === 'remove' ? `${scope}:${edit.index + 1}` : null;
  const preview = await client.request('rules.preview', { folder, change });
  if (!dryRun) {
    const { hash, line } = await client.request('rules.change', { folder, change });
    if (json) return screen.data(`${JSON.stringify({ file: file?.file, line, hash, preview }, null, 2)}\n`);
    screen.note(
      `${removed ? 'Removed from' : 'Written to'} ${visible(file?.file ?? '')}${line === null ? '' : `:${line}`}`,
    );
    return told(screen, preview, removed, false);
  }
  if (json) return screen.data(`${JSON.stringify({ file: file?.file, preview }, null, 2)}\n`);
  screen.note('Nothing was written.');
  told(screen, preview, removed, true);
}

/** `whole`: with each call whose verdict changes. */
function told(screen: Io['screen'], preview: RulePreview, removed: string | null, whole: boolean): void {
  const { summary, warnings, calls } = previewLines(preview, removed);
  for (const line of warnings) screen.note(`triad: ${line}`);
  for (const line of [...summary, ...(whole ? calls : [])]) screen.data(`${line}\n`);
}
