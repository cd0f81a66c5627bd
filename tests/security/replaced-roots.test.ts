/** Workspaces whose folder is replaced by another one, or by a link to it, while agents work. */
import { type ChildProcess, spawn } from 'node:child_process';
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { allTools } from '#core/tools/all-tools.ts';
import { type Harness, startEngine } from '../support/engine.ts';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import { folderWith } from '../support/workspace.ts';
import { Random } from '../soak/random.ts';
import { TEST_SEED } from '../support/samples.ts';
import { skipped, words } from '../core/workspace/shell/support.ts';
import { type Person, yes } from '../support/compose.ts';
import { treeOf } from '../support/tree.ts';
import { longAttack } from './long-attack.ts';

/** A call of each tool that reaches the workspace. */
const CALLS: Readonly<Record<string, Record<string, unknown>>> = {
  read_file: { path: 'a.txt' },
  list_directory: { path: 'notes' },
  glob: { pattern: '**/*' },
  grep: { pattern: 'FOUND|H.DDEN' },
  write_file: { path: 'notes/written.txt', content: 'PLANTED' },
  edit_file: { path: 'b.txt', old_text: 'FOUND', new_text: 'PLANTED' },
  move_file: { from: 'c.txt', to: 'moved.txt' },
  delete_file: { path: 'd.txt' },
  list_notes: {},
  read_note: { note: 'note' },
  semantic_search: { query: 'FOUND in note' },
  bash: { command: 'cat a.txt notes/*; echo PLANTED > planted.txt' },
  bash_online: { command: 'cat a.txt notes/*; echo PLANTED > planted-online.txt' },
};
/** They read and write nothing in the workspace. */
const OTHERS = ['web_fetch', 'web_search'];

const FILES = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'notes/note.md', 'notes/other.txt'];
const filesWith = (content: string) =>
  Object.fromEntries(FILES.map((path) => [path.replace('other', `other-${content}`), `${content} in ${path}\n`]));

interface Place {
  engine: Harness;
  other: string;
  /** Replaces the workspace by the other folder, or by a link to it. */
  swap: () => void;
  swapBack: () => void;
}

/** A conversation in which an agent calls each tool, in two steps. */
async function startPlace(asLink: boolean, onAsk: (place: Place, tool: string) => void): Promise<Place> {
  const other = await folderWith({
    ...filesWith('HIDDEN'),
    'AGENTS.md': 'HIDDEN',
    '.git/HEAD': 'ref: refs/heads/HIDDEN',
  });
  const script = new Script();
  for (const step of [1, 2])
    script.on({ step }).reply(Object.entries(CALLS).map(([name, input]) => toolUse(name, input)));
  script.on({}).reply([text('Done.')]);
  const person: Person = (approval, item) => {
    const { subject } = approval.request;
    if (subject.kind === 'replaced-folder') return { kind: 'reject', reason: 'No.' };
    if (subject.kind === 'tool') onAsk(place, subject.tool);
    return yes(approval, item);
  };
  const engine = await startEngine(script, { files: filesWith('FOUND'), person });
  const aside = `${engine.folder}-aside`;
  onTestFinished(() => rmSync(aside, { recursive: true, force: true }));
  let isSwapped = false;
  const place = {
    engine,
    other,
    swap: () => {
      if (isSwapped) return;
      isSwapped = true;
      renameSync(engine.folder, aside);
      if (asLink) symlinkSync(other, engine.folder);
      else renameSync(other, engine.folder);
    },
    swapBack: () => {
      if (!isSwapped) return;
      isSwapped = false;
      if (asLink) rmSync(engine.folder);
      else renameSync(engine.folder, other);
      renameSync(aside, engine.folder);
    },
  };
  return place;
}

/** Swaps the two folders until it is stopped. */
function swapInLoop({ engine: { folder }, other }: Place, asLink: boolean): () => Promise<void> {
  const [aside, link] = [`${folder}-aside`, `${folder}-link`];
  const [away, back] = asLink
    ? [`ln -sfn '${other}' '${link}'; mv -T '${link}' '${folder}'`, `rm '${folder}'`]
    : [`mv -T '${other}' '${folder}'`, `mv -T '${folder}' '${other}'`];
  const pause = 'sleep 0.00$((RANDOM % 10))';
  const loop = `trap 'stop=1' TERM; while [ -z "$stop" ]; do mv -T '${folder}' '${aside}'; ${away}; ${pause}; ${back}; mv -T '${aside}' '${folder}'; ${pause}; done`;
  const child: ChildProcess = spawn('bash', ['-c', loop], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return () => {
    child.kill('SIGTERM');
    return ended;
  };
}

/** All that the conversation keeps and sent. */
const readRecords = ({ engine }: Place): string =>
  JSON.stringify([engine.events, engine.model.requests.map(({ body }) => body)]);

const getResults = ({ engine }: Place, step: number) =>
  engine.of('tool-end').slice((step - 1) * Object.keys(CALLS).length, step * Object.keys(CALLS).length);

const MOMENTS = ['before the question', 'between question and yes', 'after the yes', 'in a loop'] as const;

async function tryMoment(moment: (typeof MOMENTS)[number], asLink: boolean, random: Random): Promise<void> {
  const tools = ['write_file', 'edit_file', 'move_file', 'delete_file', 'bash', 'bash_online'] as const;
  const victim = random.pick(tools);
  const place = await startPlace(asLink, ({ swap }, tool) => {
    if (tool !== victim) return;
    if (moment === 'between question and yes') swap();
    if (moment === 'after the yes') setTimeout(swap, random.between(0, 30));
  });
  const before = await treeOf(place.other);
  if (moment === 'before the question') place.swap();
  const stop = moment === 'in a loop' ? swapInLoop(place, asLink) : null;
  // A message cannot be sent while the path is missing.
  while (!(await place.engine.ask('Work').catch(() => null))) expect(stop, moment).not.toBeNull();
  await stop?.();
  place.swapBack();
  const label = `${moment}, ${asLink ? 'a link' : 'a folder'}, ${victim}`;
  expect(readRecords(place).includes('HIDDEN'), label).toBe(false);
  expect(await treeOf(place.other), label).toEqual(before);
  const last = getResults(place, moment === 'before the question' ? 1 : 2);
  if (stop) return;
  const outcome = JSON.stringify(place.engine.of('run-end'));
  expect(last, `${label}: ${outcome}`).toHaveLength(Object.keys(CALLS).length);
  for (const { entry } of last) {
    expect(entry.status, `${label}: ${entry.name}`).toBe('error');
    expect(entry.output, `${label}: ${entry.name}`).toContain(`${place.engine.folder} was replaced by another folder`);
  }
  const questions = place.engine
    .of('approval-request')
    .filter(({ approval }) => approval.subject.kind === 'replaced-folder');
  // A link is never pinned.
  expect(questions, label).toHaveLength(asLink ? 0 : 1);
}

describe.skipIf(skipped || process.platform !== 'linux')(`a replaced workspace (${words})`, () => {
  test('is tested with each tool that reaches the workspace', () => {
    const names = allTools().flatMap(({ name, permissions }) => (permissions.length > 0 ? [name] : []));
    expect([...Object.keys(CALLS), ...OTHERS].toSorted()).toEqual(names.toSorted());
  });

  test('is the only reason for refused calls: all succeed without a replacement', async () => {
    const place = await startPlace(false, () => undefined);
    await place.engine.ask('Work');
    for (const { entry } of getResults(place, 1)) expect(entry, entry.name).toMatchObject({ status: 'completed' });
    expect(await readFile(join(place.engine.folder, 'planted.txt'), 'utf8')).toBe('PLANTED\n');
  });

  longAttack('a workspace that another folder or a link replaces', async (tries) => {
    const random = new Random('replaced roots', TEST_SEED);
    for (let tried = 0; tried < tries; tried += 1)
      await tryMoment(MOMENTS[tried % MOMENTS.length]!, Math.floor(tried / MOMENTS.length) % 2 === 0, random);
  });

  /** A conversation whose agent reads `a.txt` once for each message. `answers`: to the questions about the new folder. */
  async function startReader(answers: readonly boolean[]) {
    const script = new Script();
    for (const message of ['One', 'Two', 'Three'])
      script.on({ step: 1, lastUser: new RegExp(message) }).reply([toolUse('read_file', { path: 'a.txt' })]);
    script.on({}).reply([text('Done.')]);
    const left = [...answers];
    const person: Person = (approval, item) =>
      approval.request.subject.kind !== 'replaced-folder' || left.shift()
        ? yes(approval, item)
        : { kind: 'reject', reason: 'No.' };
    const engine = await startEngine(script, { files: { 'a.txt': 'FIRST' }, person });
    const replace = async (content: string): Promise<void> => {
      renameSync(engine.folder, (await folderWith()) + '/aside');
      renameSync(await folderWith({ 'a.txt': content }), engine.folder);
    };
    const outputs = () => engine.of('tool-end').map(({ entry }) => entry.output);
    const questions = () =>
      engine
        .of('approval-request')
        .flatMap(({ approval }) => (approval.subject.kind === 'replaced-folder' ? [approval] : []));
    return { engine, replace, outputs, questions };
  }

  test('is used by the next calls after approval', async () => {
    const { engine, replace, outputs, questions } = await startReader([true]);
    await replace('SECOND');
    await engine.ask('One');
    expect(questions().map(({ title }) => title)).toEqual([
      `The workspace folder was replaced: use the new ${engine.folder}?`,
    ]);
    await engine.ask('Two');
    expect(outputs()).toEqual([expect.stringContaining('was replaced by another folder'), 'SECOND']);
  });

  test('needs approval again only if it changes after a rejection', async () => {
    const { engine, replace, outputs, questions } = await startReader([false, true]);
    await replace('SECOND');
    await engine.ask('One');
    await engine.ask('Two');
    expect(questions()).toHaveLength(1);
    await replace('THIRD');
    await engine.ask('Three');
    expect(questions()).toHaveLength(2);
    for (const output of outputs()) expect(output).toContain('was replaced by another folder');
  });

  test.for(['none', 'all'] as const)('is refused with --approve %s', async (approve) => {
    const { engine, replace, outputs } = await startReader([]);
    await replace('SECOND');
    await engine.ask('One', approve);
    await engine.ask('Two', approve);
    for (const output of outputs()) expect(output).toContain('was replaced by another folder');
  });

  test('is refused by undo, commits, mentions and the list of the prompt', async () => {
    const place = await startPlace(false, () => undefined);
    const { engine } = place;
    await engine.ask('Work');
    const before = await treeOf(place.other);
    place.swap();
    const { conversationId, runtime } = engine;
    const { runId } = engine.of('tool-end')[0]!;
    const refused = {
      code: 'not_allowed',
      message: expect.stringContaining('was replaced by another folder') as string,
    };
    const target = { runId };
    await expect(runtime.request('change.undo', { conversationId, target, leave: true })).rejects.toMatchObject(
      refused,
    );
    const commit = { conversationId, message: 'Why', paths: ['a.txt'] };
    await expect(runtime.request('change.commit', commit)).rejects.toMatchObject(refused);
    await expect(runtime.request('file.find', { folder: engine.folder, text: 'o', asker: 'me' })).rejects.toMatchObject(
      refused,
    );
    const rows = await runtime.request('change.list', { conversationId });
    expect(JSON.stringify(rows).includes('HIDDEN')).toBe(false);
    await engine.ask('Go on');
    expect(readRecords(place).includes('HIDDEN')).toBe(false);
    place.swapBack();
    expect(await treeOf(place.other)).toEqual(before);
  });
});
