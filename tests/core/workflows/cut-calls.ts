/** One call of each kind of tool, the moments at which it is cut off, and what is known of it afterwards. */
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableEvent } from '#contract/event.ts';
import type { Moment } from '../../support/crash.ts';
import { CHILD, LEAD, reportOf, spawn } from '../../support/fake-model/scenarios.ts';
import { type Block, Script, text, toolUse } from '../../support/fake-model/script.ts';

/** After this event, or in the middle of the call. */
type At = DurableEvent['type'] | `${DurableEvent['type']}#${number}` | Moment;

export interface CutCall {
  kind: string;
  calls: Block[];
  /** When the program is killed. */
  moments: At[];
  /** What the model reads of the call when its run goes on. */
  told: RegExp;
  /** Changed files in the result. Missing after a kill at `tool-start`, because no command has run yet. */
  listedFiles?: RegExp;
  /** Whether it is that of a call whose outcome nobody knows, where it was under way. */
  unknown?: true;
  /** When it is to be stopped by a person; default: as soon as it has begun. */
  stop?: { file: string } | { event: 'approval-request' } | { keep: true };
  /** The files that it changes, with all that each may hold after it was cut off; null: no file. */
  changes?: Record<string, (string | null)[]>;
  /** What happens between the kill and the next start. */
  meanwhile?: (folder: string) => Promise<void>;
  /** Calls after it in the resumed run, and what the last one answers. */
  then?: { calls: Block[]; told: RegExp };
}

/** In the workspace of each call. */
export const FILES = { 'a.txt': 'old\n', 'note.md': '# A note\n', 'long.txt': `${'a'.repeat(60)}!\n` };

const WRITING: At[] = [{ keep: 'before' }, 'ended', { keep: 'after' }, 'tool-start'];
const UNKNOWN = /outcome unknown/;

const READS: CutCall[] = [
  {
    kind: 'read',
    calls: [toolUse('read_file', { path: 'a.txt' })],
    moments: ['ended', 'tool-start'],
    told: /^old$/m,
  },
  { kind: 'notes', calls: [toolUse('read_note', { note: 'note' })], moments: [{ ms: 15 }, 'ended'], told: /A note/ },
  {
    kind: 'search',
    calls: [toolUse('grep', { pattern: '(a+)+$', path: '.' })],
    moments: [{ ms: 60 }],
    told: /long\.txt:1:aaa$/m,
    meanwhile: (folder) => writeFile(join(folder, 'long.txt'), 'aaa\n'),
  },
];

const WRITES: CutCall[] = [
  {
    kind: 'write',
    calls: [toolUse('write_file', { path: 'a.txt', content: 'new\n' })],
    moments: WRITING,
    told: UNKNOWN,
    unknown: true,
    changes: { 'a.txt': ['old\n', 'new\n'] },
    stop: { keep: true },
  },
  {
    kind: 'write, new folder',
    calls: [toolUse('write_file', { path: 'd/b.txt', content: 'new\n' })],
    moments: WRITING.slice(2),
    told: UNKNOWN,
    unknown: true,
    changes: { 'd/b.txt': [null, 'new\n'] },
    stop: { keep: true },
  },
  {
    kind: 'edit',
    moments: WRITING,
    told: UNKNOWN,
    unknown: true,
    changes: { 'a.txt': ['old\n', 'new\n'] },
    calls: [toolUse('edit_file', { path: 'a.txt', edits: [{ old_text: 'old', new_text: 'new' }] })],
    stop: { keep: true },
  },
  {
    kind: 'edit of what leads out since',
    moments: ['tool-start'],
    told: UNKNOWN,
    unknown: true,
    calls: [toolUse('edit_file', { path: 'a.txt', edits: [{ old_text: 'old', new_text: 'new' }] })],
    meanwhile: async (folder) => {
      await rm(join(folder, 'a.txt'));
      await symlink('/etc/hosts', join(folder, 'a.txt'));
    },
  },
  {
    kind: 'write, being asked',
    calls: [toolUse('write_file', { path: 'a.txt', content: 'new\n' })],
    moments: ['approval-request', 'approval-decide'],
    told: /Wrote a\.txt/,
    stop: { event: 'approval-request' },
  },
];

const RELOCATES: CutCall[] = [
  {
    kind: 'delete',
    calls: [toolUse('delete_file', { path: 'a.txt' })],
    moments: WRITING,
    told: UNKNOWN,
    unknown: true,
    changes: { 'a.txt': ['old\n', null] },
    stop: { keep: true },
  },
  {
    kind: 'move',
    calls: [toolUse('move_file', { from: 'a.txt', to: 'd/b.txt' })],
    moments: WRITING,
    told: UNKNOWN,
    unknown: true,
    stop: { keep: true },
    changes: { 'a.txt': ['old\n', null], 'd/b.txt': [null, 'old\n'] },
  },
];

const TALKS: CutCall[] = [
  {
    kind: 'question',
    calls: [toolUse('ask_question', { questions: [{ question: 'Which?', kind: 'text' }] })],
    moments: ['approval-request', 'approval-decide', 'ended'],
    told: /As you like/,
    stop: { event: 'approval-request' },
  },
  {
    kind: 'sub-agent',
    calls: [spawn({ name: 'helper', prompt: 'Look.' })],
    moments: ['message-start#2'],
    told: /Report: helper/,
  },
  {
    kind: 'plan',
    calls: [toolUse('todo_write', { items: [{ content: 'One', status: 'pending', priority: 'low' }] })],
    moments: ['plan-change', 'ended'],
    told: /plan is written/,
  },
  {
    kind: 'memory',
    calls: [toolUse('memory', { operation: 'write', name: 'n', text: 'kept' })],
    moments: ['memory-change', 'ended'],
    told: /"n" is kept/,
  },
];

/** `seconds`: an argument for `sleep` by which processes of a call are known. */
export function cutCalls(seconds: string): CutCall[] {
  return [...READS, ...WRITES, ...RELOCATES, ...commands(seconds), ...TALKS];
}

function commands(seconds: string): CutCall[] {
  const stays = `echo whole > out.txt; (setsid sleep ${seconds} &); touch started; sleep ${seconds}`;
  return [
    {
      kind: 'bash',
      calls: [toolUse('bash', { command: stays })],
      moments: [{ file: 'started' }, 'tool-start'],
      told: UNKNOWN,
      listedFiles: /\[files that it has changed, or was about to: out\.txt/,
      unknown: true,
      stop: { file: 'started' },
      changes: { 'out.txt': [null, 'whole\n'] },
    },
    {
      kind: 'bash in the background',
      calls: [
        toolUse('bash', { command: `echo first; touch begun; sleep ${seconds}`, background: true }),
        toolUse('bash', { command: `until [ -e begun ]; do sleep 0.02; done; touch started; sleep ${seconds}` }),
      ],
      moments: [{ file: 'started' }],
      told: UNKNOWN,
      unknown: true,
      stop: { file: 'started' },
      then: {
        calls: [
          toolUse('bash_jobs', { action: 'read', id: 'command-1' }),
          toolUse('bash', { command: 'echo again; touch done', background: true }),
          toolUse('bash', { command: 'until [ -e done ]; do sleep 0.02; done' }),
          toolUse('bash_jobs', { action: 'read', id: 'command-2' }),
        ],
        told: /^again$/m,
      },
    },
  ];
}

/** A lead that makes the calls one after the other, then those of the resumed run, and answers with all results. */
export function scriptOf({ calls, then }: CutCall): Script {
  const script = new Script()
    .on(CHILD)
    .reply([text('I begin')], { hangAfter: 2, times: 1 })
    .on(CHILD)
    .reply([text(reportOf('helper'))]);
  const all = [...calls, ...(then?.calls ?? [])];
  all.forEach((call, index) => script.on({ ...LEAD, turn: index + 1 }).reply([call]));
  return script.on(LEAD).reply([text('Done.')]);
}
