/** `triad permissions add`, `move` and `remove`: a rule is written, moved or taken out, or only what that would decide is said. */
import { Permission } from '#contract/agent.ts';
import { Effect } from '#contract/permission.ts';
import type { RuleEdit, RuleFile, RulePreview, RuleScope } from '#contract/permissions/rule-edit.ts';
import type { Client } from '#contract/rpc.ts';
import { previewLines } from '../render/rule-preview.ts';
import { foundBy, parsedReference } from '../render/rule-reference.ts';
import { UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';

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
  const scope = project ? 'project' : 'user';
  const file = await fileOf(client, options.folder, scope);
  await changeRule(io, client, { scope, edit: { kind: 'add', rule }, file }, options);
}

/** `word`: as the list names it, such as `user:2-7f3a9c12`. */
export async function removeRule(io: Io, client: Client, word: string, options: Options): Promise<void> {
  const { scope, index, file } = await ruleNamed(client, word, options.folder);
  await changeRule(io, client, { scope, edit: { kind: 'remove', index }, file }, options);
}

/** `to`: the number that it has in its file afterwards. */
export async function moveRule(io: Io, client: Client, word: string, to: string, options: Options): Promise<void> {
  const { scope, index, file } = await ruleNamed(client, word, options.folder);
  const place = /^[1-9]\d{0,3}$/.test(to) ? Number(to) : 0;
  if (place < 1 || place > file.rules.length)
    throw new UsageError(`"${visible(to)}" is no place in ${visible(file.file)}: write 1 to ${file.rules.length}`);
  await changeRule(io, client, { scope, edit: { kind: 'move', index, to: place - 1 }, file }, options);
}

/** Over what was looked at: what stands at that place by now may be another rule. */
async function ruleNamed(
  client: Client,
  word: string,
  folder: string,
): Promise<{ scope: RuleScope; index: number; file: RuleFile }> {
  const named = parsedReference(word);
  if (!named) throw new UsageError(`"${visible(word)}" is not the id of a rule: see "triad permissions list"`);
  const file = await fileOf(client, folder, named.scope);
  const index = foundBy(file.rules, named);
  if (index === null) throw new UsageError(`No rule is ${visible(word)} any more: see "triad permissions list"`);
  return { scope: named.scope, index, file };
}

async function fileOf(client: Client, folder: string, scope: RuleScope): Promise<RuleFile> {
  const { files } = await client.request('rules.list', { folder });
  return files.find((one) => one.scope === scope)!;
}

async function changeRule(
  { screen }: Io,
  client: Client,
  { scope, edit, file }: { scope: RuleScope; edit: RuleEdit; file: RuleFile },
  { folder, dryRun, json }: Options,
): Promise<void> {
  const change = { scope, base: file.hash, edit };
  const removed = edit.kind === 'remove' ? `${scope}:${edit.index + 1}` : null;
  const preview = await client.request('rules.preview', { folder, change });
  if (!dryRun) {
    const { hash, line } = await client.request('rules.change', { folder, change });
    if (json) return screen.data(`${JSON.stringify({ file: file.file, line, hash, preview }, null, 2)}\n`);
    const where = `${DONE[edit.kind]} ${visible(file.file)}${line === null ? '' : `:${line}`}`;
    screen.note(edit.kind === 'add' ? `${where}. ${HOLDS[scope]}` : where);
    return told(screen, preview, removed, false);
  }
  if (json) return screen.data(`${JSON.stringify({ file: file.file, preview }, null, 2)}\n`);
  screen.note('Nothing was written.');
  told(screen, preview, removed, true);
}

/** `whole`: with each call whose verdict changes. */
function told(screen: Io['screen'], preview: RulePreview, removed: string | null, whole: boolean): void {
  const { summary, warnings, calls } = previewLines(preview, removed);
  for (const line of warnings) screen.note(`triad: ${line}`);
  for (const line of [...summary, ...(whole ? calls : [])]) screen.data(`${line}\n`);
}
