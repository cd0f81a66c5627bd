/** In which folder a command begins is said before it is allowed, and it begins there or not at all. */
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ApprovalRequest } from '#contract/approval.ts';
import { answering, type Person } from '../../support/compose.ts';
import { type HarnessOptions, startAgain, startEngine, talkIn, yes } from '../../support/engine.ts';
import { type Block, Script, text, toolUse } from '../../support/fake-model/script.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { sandbox } from '../workspace/shell/support.ts';

const reads = (command: string, more: Record<string, unknown> = {}) =>
  toolUse('bash', { command, read_only: true, ...more });
const FILES = { 'web/app/a.txt': 'one\n', 'api/b.txt': 'two\n' };

/** The lead makes the calls of each response; the person says yes to all. */
async function working(responses: readonly (readonly Block[])[], options: HarnessOptions = {}) {
  const script = new Script();
  for (const [index, calls] of responses.entries()) script.on({ step: index + 1 }).reply([...calls]);
  script.on({}).reply([text('Done.')]);
  const person = () => ({ kind: 'allow', confirmed: true }) as const;
  const engine = await startEngine(script, { files: FILES, person, ...options });
  const requests = () => engine.of('approval-request').map(({ approval }) => approval);
  const work = async () => {
    expect((await engine.ask('Work')).outcome).toBe('completed');
    const said = engine.of('tool-end').map(({ entry }) => entry.output);
    return { asked: requests().map(asked), requests: requests(), said };
  };
  return { engine, work };
}

/** Where a question says that the command begins; empty for the workspace folder. */
function asked({ subject }: ApprovalRequest): string {
  return subject.kind === 'tool' ? (subject.startsIn ?? '') : '';
}

describe.skipIf(!sandbox)('an approval request for a command', () => {
  test('names the start folder in title, description and subject if it is not the workspace folder', async () => {
    const { work } = await working([[reads('ls; cd web/app')], [reads('ls *')]]);
    const [first, second] = (await work()).requests;
    expect(first?.title).toBe('Run ls; cd web/app');
    expect(first?.description).toMatch(/^In a sandbox: /);
    expect(first?.subject).not.toHaveProperty('startsIn');
    expect(second).toMatchObject({
      title: 'In web/app, run ls *',
      description: expect.stringMatching(
        /^It begins in web\/app, where an earlier command has left the shell\. In a/,
      ) as string,
      says: { title: { key: 'run_in', values: { folder: 'web/app' } } },
      subject: { startsIn: 'web/app' },
      grant: { pattern: 'ls \\* # only reads # in web/app' },
    });
  });

  test('names the real shell folder after sub-shells, failed cd, links, exits and background commands', async () => {
    const { engine, work } = await working([
      [reads('(cd web)')],
      [reads('cd missing || true')],
      [reads('cd link')],
      [reads('cd ../api; exit 3')],
      [reads('cd ../web/app', { background: true })],
      [reads('cd /')],
      [reads('bash -c "cd web"')],
      [reads('cd web/../web/app && cd ..')],
      [reads('trap - EXIT; cd app')],
      [reads('pwd')],
    ]);
    await symlink('web', join(engine.folder, 'link'));
    const { asked: folders, said } = await work();
    expect(folders).toEqual(['', '', '', 'web', 'api', 'api', '', '', 'web', 'web']);
    expect(said.at(-1)).toBe(`${engine.folder}/web\n[exit code 0, in web]`);
  });

  test('is invalid if another call of the response changes the shell folder, so nothing runs', async () => {
    const { work } = await working([[reads('cd web'), reads('ls'), reads('ls', { background: true })], [reads('ls')]]);
    const { asked: folders, said } = await work();
    expect(folders).toEqual(['', '', '', 'web']);
    const refused =
      'Nothing was run: the shell stands in web now, and this call was decided for the workspace folder. Call it again';
    expect(said).toEqual(['[exit code 0, in web]', refused, refused, 'app\n[exit code 0, in web]']);
  });

  test.each<[string, (folder: string) => void]>([
    ['gone', (folder) => rmSync(join(folder, 'web'), { recursive: true })],
    [
      'a link to another folder',
      (folder) => {
        renameSync(join(folder, 'web'), join(folder, 'moved'));
        symlinkSync('api', join(folder, 'web'));
      },
    ],
  ])('is invalid, so nothing runs, if its folder is %s at the time of the answer', async (what, change) => {
    const person: Person = ({ request: { title, subject } }) => {
      if (title === 'In web, run ls') change((subject as { folder: string }).folder);
      return { kind: 'allow', confirmed: true };
    };
    const { work } = await working([[reads('cd web')], [reads('ls')], [reads('ls # again')]], { person });
    const { asked: folders, said } = await work();
    const now = what === 'gone' ? 'the workspace folder' : 'api';
    expect(said[1]).toBe(
      `Nothing was run: the shell stands in ${now} now, and this call was decided for web. Call it again`,
    );
    expect(folders).toEqual(['', 'web', what === 'gone' ? '' : 'api']);
    expect(said[2]).toContain(what === 'gone' ? 'api\n' : 'b.txt\n');
  });

  test('is answered by a grant for one command only in the folder of the grant', async () => {
    const person: Person = ({ request: { grant } }) =>
      grant
        ? { kind: 'allow', grant: { scope: 'conversation', pattern: grant.pattern } }
        : { kind: 'reject', reason: '' };
    const calls = ['ls', 'cd web', 'ls', 'ls', 'cd ..', 'ls'];
    const { engine, work } = await working(
      calls.map((command) => [reads(command)]),
      { person },
    );
    await work();
    const decided = engine.of('approval-decide').map(({ decision }) => decision.decidedBy);
    expect(decided).toEqual(['person', 'person', 'person', 'rule', 'person', 'rule']);
  });

  test('can be answered after a restart, with the shell in its earlier folder', async () => {
    const store = await memoryStore();
    const person: Person = ({ request: { title } }) => (title.startsWith('In ') ? null : { kind: 'allow' });
    const calls = [[reads('cd web/app')], [reads('pwd')], [reads('cd ..')]];
    const { engine } = await working(calls, { store: lasting(store), person });
    const { conversationId } = engine;
    const { workflowId } = await engine.send('Work');
    await engine.event('approval-request', ({ approval }) => approval.title.startsWith('In web/app'));
    await engine.runtime.close();
    const runtime = await startAgain(engine, store);
    await answering(runtime, yes);
    const { of, ended } = await talkIn(runtime, conversationId);
    const end = ended(workflowId);
    await runtime.request('workflow.resume', { workflowId });
    await end;
    expect(of('tool-end').map(({ entry }) => entry.output)).toEqual([
      `${engine.folder}/web/app\n[exit code 0, in web/app]`,
      '[exit code 0, in web]',
    ]);
    expect(of('approval-request').map(({ approval }) => asked(approval))).toEqual(['web/app']);
  });
});

test.runIf(sandbox)('an approval request shows the time limit, the background mode and a shortened title', async () => {
  const { work } = await working([[reads('echo 1\necho 2', { background: true, timeout_seconds: 9 })]]);
  const [question] = (await work()).requests;
  expect(question?.title).toBe('Run echo 1 …');
  expect(question?.description).toMatch(/\. It goes on in the background for at most 9 s$/);
});
