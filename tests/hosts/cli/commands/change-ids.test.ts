/** Which runs an id of `triad changes` stands for: its own, that of its workflow or session, or the first characters. */
import { expect, test } from 'vitest';
import type { ChangeRow, UndoneFile } from '#contract/change.ts';
import { TriadError } from '#core/base/errors.ts';
import { at, runRow, workflowRow } from '../../support/events.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { commandLine } from '../../support/memory-io.ts';

const [session, workflow, lead, helper] = ['0190aaaa', '0190bbbb', '0190bbcc', '0190dddd'].map(
  (start) => `${start}-0000-7000-8000-000000000000`,
) as [string, string, string, string];

const change = (runId: string, agent: string, path: string, rest: Partial<ChangeRow> = {}): ChangeRow => ({
  conversationId: session,
  workflowId: workflow,
  runId,
  agent,
  at,
  toolCallId: `call-${path}`,
  tool: 'bash',
  folder: '/work',
  notKept: [],
  files: [{ path, before: null, after: null, state: 'done', kept: false }],
  ...rest,
});
const rows = [
  change(lead, 'lead', 'a'),
  change(helper, 'helper', 'b'),
  change(lead, 'lead', 'c', { files: [], notKept: ['big.iso'] }),
];

async function triad(...args: string[]) {
  const client = memoryClient({
    'workflow.list': ({ before }) =>
      before === undefined
        ? { items: [], next: 'more' }
        : {
            items: [{ ...workflowRow({ id: workflow, conversationId: session, runId: lead }), times: null }],
            next: null,
          },
    'execution.list': () => ({
      items: [
        {
          id: helper,
          sub_agent_id: helper,
          workflow_id: workflow,
          parent_agent_id: lead,
          kind: 'delegate',
          sub_agent_name: 'helper',
          task_description: 'Help',
          status: 'completed',
          created_at: at,
          model: 'm',
          envelope_hash: 'h',
          trace_id: 't',
          parent_chain: ['user', 'lead'],
        },
      ],
      next: null,
    }),
    'run.get': ({ runId }) => {
      if (![lead, helper].includes(runId)) throw new TriadError('not_found', 'There is no such run');
      return runRow({ id: runId, conversationId: session });
    },
    'conversation.snapshot': () => {
      throw new TriadError('not_found', 'There is no such conversation');
    },
    'change.list': () => rows,
    'change.diff': () => ({ note: 'a binary file', hunks: [] }),
    'change.undo': () => [{ path: 'b', outcome: 'merged' }],
  });
  const printed = await commandLine(client)('changes', ...args);
  return { ...printed, asked: client.requests.find(({ method }) => method === 'change.undo')?.input };
}

/** The agents whose runs are shown. */
const shown = async (word: string) => [...(await triad(word)).out.matchAll(/^• (\S+)/gm)].map(([, agent]) => agent);

test('finds a run by the first characters of its id, of its workflow id or of its session id', async () => {
  expect(await shown('0190bbcc')).toEqual(['lead']);
  expect(await shown('0190dd')).toEqual(['helper']);
  expect(await shown('0190aa')).toEqual(['lead', 'helper']);
  expect(await shown('0190bb')).toEqual(['lead', 'helper']);
  expect(await shown(helper)).toEqual(['helper']);
});

test('lists the runs of an ambiguous id, and undoes none of them', async () => {
  const several = `0190bb stands for 2 runs, name one of them: ${lead} (lead), ${helper} (helper)`;
  for (const words of [
    ['--undo', '0190bb'],
    ['--redo', '0190bb'],
    ['0190bb', '--call', '1'],
  ])
    expect(await triad(...words)).toMatchObject({ code: 2, err: `triad: ${several}\n`, asked: undefined });
  const undone = await triad('--undo', '0190dd');
  expect(undone).toMatchObject({ code: 0, out: 'merged    b: what others did to it since stays\n' });
  expect(undone.asked).toMatchObject({ conversationId: session, target: { runId: helper }, redo: false, leave: false });
});

test('lists changes that cannot be undone, and byte counts where lines cannot be counted', async () => {
  const { out } = await triad(lead.slice(0, 9));
  expect(out).toContain('made and removed  a  0 → 0 bytes\n');
  expect(out).toContain('changed  big.iso: cannot be undone, what it was is not kept\n');
  expect((await triad('--undo', lead)).out).toContain('left      big.iso: what it was is not kept\n');
  expect((await triad('0190dd', '--diff')).out).toContain('       a binary file\n');
});

test.each([
  [['0190ee'], 'No run, workflow or session begins with 0190ee: see "triad changes"'],
  [[`0190eeee-0000-7000-8000-000000000000`], /^No run, workflow or session is 0190eeee-/],
  [['0190'], '"0190" is not the id of a run: see "triad changes"'],
  [['0190aa', '--undo', '0190dd'], 'name the run once, behind --undo or --redo'],
  [['--undo', '0190aa', '--redo', '0190dd'], /--undo <run>' cannot be used with option '--redo <run>'/],
  [['--diff'], '--file, --call and --diff belong to a run: see "triad changes"'],
  [['0190aa', '--leave'], '--leave belongs to --undo or --redo'],
  [['0190aa', '--call', '0'], /This is the number of a call/],
])('%j is rejected as bad usage in one line', async (words, why) => {
  const { code, out, err } = await triad(...words);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^triad: .+\n$/);
  if (typeof why === 'string') expect(err).toBe(`triad: ${why}\n`);
  else expect(err.slice('triad: '.length)).toMatch(why);
});

test('lists the newest run of a folder last, and a limit keeps the newest runs', async () => {
  const older = '0190aa00-0000-7000-8000-000000000000';
  const client = memoryClient({
    'workflow.list': ({ folder, before }) =>
      folder !== '/nowhere/at/all'
        ? { items: [], next: null }
        : before === undefined
          ? { items: [{ ...workflowRow({ id: workflow, conversationId: session }), times: null }], next: 'more' }
          : { items: [{ ...workflowRow({ id: older, conversationId: session }), times: null }], next: null },
    'change.list': () => [change(older, 'first', 'x', { workflowId: older }), ...rows],
  });
  const list = async (...more: string[]) => {
    const { out, err } = await commandLine(client)('changes', '--cwd', '/nowhere/at/all', ...more);
    return { agents: [...out.matchAll(/^• (\S+)/gm)].map(([, agent]) => agent), err };
  };
  expect((await list()).agents).toEqual(['first', 'lead', 'helper']);
  expect(
    client.requests.filter(({ method }) => method === 'change.list'),
    'once for a session',
  ).toHaveLength(1);
  const { agents, err } = await list('--limit', '2');
  expect(agents).toEqual(['lead', 'helper']);
  expect(err).toMatch(/^Only the newest 2: more with --limit\.\n/);
});

test('a file in the way is listed, and --leave reverts the other files', async () => {
  const why = 'What was changed since is in the way';
  const conflicts = ['a', 'b'].map((path): UndoneFile => ({ path, outcome: 'conflict', why }));
  let outcomes: UndoneFile[] = [conflicts[0]!, { path: 'b', outcome: 'put_back' }];
  const client = memoryClient({
    'run.get': () => runRow({ id: helper, conversationId: session }),
    'change.list': () => [change(helper, 'helper', 'a'), change(helper, 'helper', 'b')],
    'change.undo': ({ leave, preview }) => {
      if (preview || leave) return outcomes;
      throw new TriadError('conflict', 'a: what was changed since is in the way');
    },
  });
  const undo = (...more: string[]) => commandLine(client)('changes', '--undo', helper, ...more);
  const advice = 'With --leave the other file is undone, and what is in the way is left as it is.\n';
  const error = 'triad: a: what was changed since is in the way\n';
  expect(await undo()).toEqual({ code: 1, out: '', err: advice + error });
  const { code, out } = await undo('--json');
  expect([code, JSON.parse(out)]).toMatchObject([1, { runId: helper, redo: false, done: false, files: outcomes }]);
  expect(await undo('--leave')).toMatchObject({
    code: 0,
    out: expect.stringContaining(`left      a: ${why}\n`) as string,
  });

  outcomes = conflicts;
  expect((await undo()).err).toBe(`in the way  a: ${why}\nin the way  b: ${why}\n${error}`);
  const nothing = 'triad: Nothing was undone: all of it is in the way\n';
  expect(await undo('--leave')).toMatchObject({ code: 1, err: nothing });
});
