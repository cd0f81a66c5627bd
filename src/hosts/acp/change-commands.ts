/** The commands `/undo`, `/redo` and `/rewind`: plans a change as a question to the client, and carries it out. */
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type PermissionOption, RequestError, type ToolCallContent } from '@agentclientprotocol/sdk';
import type { ChangeDiff, ChangeRow, UndoneFile } from '#contract/change.ts';
import { titleOf } from '#contract/messages/short-text.ts';
import type { Client, Output } from '#contract/rpc.ts';
import { visible } from '../cli/terminal/visible.ts';
import { wholeText } from './question.ts';

export type ChangeCommand = 'undo' | 'redo' | 'rewind';

/** A command that requires approval by the person. */
export interface PlannedChange {
  title: string;
  content: ToolCallContent[];
  /** Paths of its files, absolute. */
  paths: string[];
  options: PermissionOption[];
  /** Carries the change out and returns a summary. `optionId`: the allowing option that the person chose. */
  carryOut(client: Client, optionId: string): Promise<string>;
}

interface SessionFolder {
  conversationId: string;
  folder: string;
}

type SnapshotWorkflow = Output<'conversation.snapshot'>['workflows'][number];
/** The change of the files of a message and of all later messages. */
type ChangeDirection = 'undo' | 'redo';

/** The planned change of one file. */
interface FilePlan extends UndoneFile {
  /** Null if the lines cannot be counted, or are too many. */
  lines: { added: number; removed: number } | null;
  /** Set if the file is not there before or after the change. */
  fate: 'created' | 'deleted' | null;
  diffs: ToolCallContent[];
}

/** Maximum number of messages that `/rewind` lists. */
const MAX_LISTED_MESSAGES = 20;
/** Maximum number of files with counted lines: each difference is computed anew. */
const MAX_SHOWN_DIFFS = 50;

/** Creates an error without the prefix of the SDK. */
const createRefusal = (message: string): RequestError => new RequestError(-32602, message, { code: 'bad_input' });

export const isChangeCommand = (name: string): name is ChangeCommand =>
  name === 'undo' || name === 'redo' || name === 'rewind';

/** Does what the person said yes to. Throws if the command would not do the same any more, with nothing changed. */
export async function carryOutAsShown(
  client: Client,
  session: SessionFolder,
  command: { name: ChangeCommand; rest: string },
  { shown, optionId }: { shown: PlannedChange; optionId: string },
): Promise<string> {
  const now = await planChange(client, session, command);
  const isSame = typeof now !== 'string' && isDeepStrictEqual(listShown(now), listShown(shown));
  if (isSame) return now.carryOut(client, optionId);
  throw createRefusal(`The session changed while you were asked, so nothing was done: use /${command.name} again`);
}

const listShown = ({ title, content, paths, options }: PlannedChange) => [title, content, paths, options];

/** Returns a text instead of a plan if the person must first choose. Throws if there is nothing to do. */
export async function planChange(
  client: Client,
  place: SessionFolder,
  { name, rest }: { name: ChangeCommand; rest: string },
): Promise<PlannedChange | string> {
  const { conversationId } = place;
  const { workflows } = await client.request('conversation.snapshot', { conversationId });
  if (workflows.some(({ status }) => status === 'running' || status === 'pending'))
    throw createRefusal(`A message of this session is in progress: stop it before /${name}`);
  if (name === 'rewind') return planRewind(client, place, { workflows, rest });
  if (rest !== '') throw createRefusal(`/${name} takes no argument`);
  return planFiles(client, place, name);
}

/** Plans for the newest message with changes, or for the oldest message with undone changes. */
async function planFiles(client: Client, place: SessionFolder, direction: ChangeDirection): Promise<PlannedChange> {
  const { conversationId } = place;
  const rows = await client.request('change.list', { conversationId });
  const isUndone = direction === 'redo';
  const candidates = rows.filter(({ files }) => files.some(({ state }) => isWanted(state, direction)));
  const row = isUndone ? candidates[0] : candidates.at(-1);
  if (!row)
    throw createRefusal(
      `Nothing to ${direction}: no change of a file in this session is ${isUndone ? 'undone' : 'left'}`,
    );
  const { workflowId } = row;
  const files = await planFileChanges(client, place, { rows, workflowId, direction });
  const undoOptions = createOptions(files, direction === 'undo' ? 'Undo' : 'Redo');
  if (undoOptions === null) throw createRefusal(`Nothing to ${direction}: ${conflictText(files)}`);
  const target = { fromWorkflowId: workflowId };
  return {
    title: `${direction === 'undo' ? 'Undo' : 'Redo'} the changes of ${countFiles(files)}`,
    ...describeFiles(place, files),
    options: undoOptions,
    carryOut: async (using) => {
      const input = { conversationId, target, redo: isUndone, leave: hasConflict(files) };
      const done = await using.request('change.undo', input);
      return `${doneText(done, direction)} ${isUndone ? '`/undo` undoes it again.' : '`/redo` takes that back.'}`;
    },
  };
}

function isWanted(state: ChangeRow['files'][number]['state'], direction: ChangeDirection): boolean {
  return direction === 'redo' ? state === 'undone' : state === 'done' || state === 'changed';
}

/** Plans a rewind by the number of a message; 1 is the newest. */
async function planRewind(
  client: Client,
  place: SessionFolder,
  { workflows, rest }: { workflows: readonly SnapshotWorkflow[]; rest: string },
): Promise<PlannedChange | string> {
  const messages = workflows.toReversed();
  if (messages.length === 0) throw createRefusal('Nothing to go back to: this session has no message');
  if (rest === '') return listText(messages);
  const message = /^[1-9]\d*$/.test(rest) ? messages[Number(rest) - 1] : undefined;
  if (!message) throw createRefusal(`There is no message ${rest}: /rewind lists them, 1 to ${messages.length}`);
  const count = Number(rest);
  const { conversationId } = place;
  const rows = await client.request('change.list', { conversationId });
  const files = await planFileChanges(client, place, { rows, workflowId: message.id, direction: 'undo' });
  const leaves = `A new session has everything before ${count === 1 ? 'this message' : `these ${count} messages`}:`;
  const shown = describeFiles(place, files);
  const texts = messages.slice(0, count).map(({ prompt }) => `- ${visible(titleOf(prompt))}`);
  const withFiles = createOptions(files, 'New session, and undo the files');
  return {
    title: `Go back to before “${visible(titleOf(message.prompt))}”`,
    paths: shown.paths,
    content: [wholeText([leaves, ...texts].join('\n')), ...shown.content],
    options: [
      ...(withFiles ?? []).filter(({ kind }) => kind === 'allow_once'),
      { optionId: 'messages', name: 'New session only', kind: 'allow_once' },
      REJECT,
    ],
    carryOut: async (using, optionId) => {
      const input = { conversationId, workflowId: message.id };
      const done =
        optionId === 'messages'
          ? { conversation: await using.request('conversation.fork', { ...input, end: 'before' }), files: [] }
          : await using.request('conversation.rewind', { ...input, leave: hasConflict(files) });
      const filesText = done.files.length === 0 ? '' : ` ${doneText(done.files, 'undo')} \`/redo\` takes that back.`;
      return `Session \`${done.conversation.id}\` ends before this message: load it to go on there.${filesText}`;
    },
  };
}

const ALLOW = { optionId: 'allow', kind: 'allow_once' } as const;
const REJECT: PermissionOption = { optionId: 'reject', name: 'Cancel', kind: 'reject_once' };

/** Returns null if no file can be changed. */
function createOptions(files: readonly FilePlan[], name: string): PermissionOption[] | null {
  const count = files.filter(isDoable).length;
  if (count === 0) return null;
  const rest = `${name}, except for files in conflict`;
  return [{ ...ALLOW, name: hasConflict(files) ? rest : name }, REJECT];
}

const isDoable = ({ outcome }: UndoneFile): boolean => outcome === 'put_back' || outcome === 'merged';
const hasConflict = (files: readonly UndoneFile[]): boolean => files.some(({ outcome }) => outcome === 'conflict');

/** Plans the change of each file that the message or a later message changed. */
async function planFileChanges(
  client: Client,
  { conversationId, folder }: SessionFolder,
  { rows, workflowId, direction }: { rows: readonly ChangeRow[]; workflowId: string; direction: ChangeDirection },
): Promise<FilePlan[]> {
  const own = rows.filter((row) => row.workflowId >= workflowId);
  if (own.length === 0) return [];
  const target = { fromWorkflowId: workflowId };
  const input = { conversationId, target, redo: direction === 'redo', preview: true };
  const outcomes = await client.request('change.undo', input);
  const isReversed = direction === 'undo';
  const plans: FilePlan[] = [];
  for (const file of outcomes.filter(({ outcome }) => outcome !== 'already')) {
    const isShown = plans.length < MAX_SHOWN_DIFFS;
    const changes = own.filter(({ files }) =>
      files.some(({ path, state }) => isShown && path === file.path && isWanted(state, direction)),
    );
    const hunks: ChangeDiff['hunks'] = [];
    for (const { runId, toolCallId } of isReversed ? changes.toReversed() : changes) {
      const diff = client.request('change.diff', { conversationId, runId, toolCallId, path: file.path });
      // A change without stored content has no lines to show.
      hunks.push(...(await diff.catch(() => ({ hunks: [] }))).hunks);
    }
    const lines = hunks.flatMap((hunk) => hunk.lines);
    const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
    const [plus, minus] = [count('+'), count('-')];
    plans.push({
      ...file,
      lines: hunks.length === 0 ? null : isReversed ? { added: minus, removed: plus } : { added: plus, removed: minus },
      fate: findFate(own, file, direction),
      diffs: hunks.map((hunk) => diffContent(resolve(folder, file.path), hunk.lines, isReversed)),
    });
  }
  return plans;
}

/** A file that others changed too is neither created nor deleted. */
function findFate(
  own: readonly ChangeRow[],
  { path, outcome }: UndoneFile,
  direction: ChangeDirection,
): FilePlan['fate'] {
  const changes = own.flatMap(({ files }) =>
    files.filter((file) => file.path === path && isWanted(file.state, direction)),
  );
  const [first, last] = [changes.at(0), changes.at(-1)];
  if (outcome !== 'put_back' || !first || !last) return null;
  const [from, to] = direction === 'undo' ? [last.after, first.before] : [first.before, last.after];
  if (to === null) return 'deleted';
  return from === null ? 'created' : null;
}

function diffContent(path: string, lines: readonly string[], isReversed: boolean): ToolCallContent {
  const side = (sign: string): string =>
    lines.flatMap((line) => (line.startsWith(' ') || line.startsWith(sign) ? [line.slice(1)] : [])).join('\n');
  const [oldText, newText] = isReversed ? [side('+'), side('-')] : [side('-'), side('+')];
  return { type: 'diff', path, oldText, newText };
}

function describeFiles(
  { folder }: SessionFolder,
  files: readonly FilePlan[],
): Pick<PlannedChange, 'content' | 'paths'> {
  if (files.length === 0) return { content: [], paths: [] };
  return {
    content: [wholeText(files.map(fileText).join('\n')), ...files.filter(isDoable).flatMap(({ diffs }) => diffs)],
    paths: files.map(({ path }) => resolve(folder, path)),
  };
}

function fileText({ path, outcome, why, lines, fate }: FilePlan): string {
  if (outcome === 'conflict') return `- ${visible(path)}: stays unchanged, ${visible(why ?? 'it was changed since')}`;
  const counts = lines ? `  +${lines.added} −${lines.removed}` : '';
  const note = fate ? `, the file is ${fate}` : '';
  return `- ${visible(path)}${counts}${outcome === 'merged' ? ', later changes stay' : note}`;
}

function conflictText(files: readonly FilePlan[]): string {
  const [conflict] = files.filter(({ outcome }) => outcome === 'conflict');
  return conflict
    ? `${visible(conflict.path)}: ${visible(conflict.why ?? 'it was changed since')}`
    : 'the files are already as they were';
}

const countFiles = (files: readonly UndoneFile[]): string => formatCount(files.filter(isDoable).length);
const formatCount = (count: number): string => (count === 1 ? '1 file' : `${count} files`);

function doneText(files: readonly UndoneFile[], direction: ChangeDirection): string {
  const left = files.filter(({ outcome }) => outcome === 'conflict').length;
  const stays = left === 0 ? '' : ` ${formatCount(left)} in conflict ${left === 1 ? 'stays' : 'stay'} as before.`;
  return `${direction === 'undo' ? 'Undid' : 'Redid'} the changes of ${countFiles(files)}.${stays}`;
}

function listText(messages: readonly SnapshotWorkflow[]): string {
  const lines = messages
    .slice(0, MAX_LISTED_MESSAGES)
    .map(({ prompt, createdAt }, index) => `${index + 1}. ${visible(titleOf(prompt))} (${createdAt.slice(0, 16)})`);
  return ['Go back to before which message? Write `/rewind NUMBER`.', '', ...lines].join('\n');
}
