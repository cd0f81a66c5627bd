/** The commands under `triad sessions`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ExecutionSort } from '#contract/list-filter.ts';
import type { Status } from '#contract/outcome.ts';
import type { ApprovePolicy, RunKind } from '#contract/agent.ts';
import type { Client } from '#contract/rpc.ts';
import { UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { approve, type Done, json, limit, withClient } from './parts.ts';

const ID = 'its id, or the first characters of it, at least 6';
const ID_OR_SPAN = `${ID}; or the id of a trace or a span, for the workflow that it is of`;

export function addSessions(sessions: Command, io: Io, done: Done): void {
  addReading(sessions, io, done);
  addExecutions(sessions, io, done);
  addMoving(sessions, io, done);
  addRewind(sessions, io, done);
  addFork(sessions, io, done);
  addAgain(sessions, io, done);
  addSay(sessions, io, done);
  addTryNow(sessions, io, done);
  sessions
    .command('resume')
    .description('go on with the newest interrupted workflow')
    .argument('<id>', ID)
    .addOption(approve())
    .addOption(new Option('--json', 'print one event per line'))
    .action(async (id: string, options: object) =>
      done(await (await import('../commands/sessions/resume.ts')).resumeSession(io, id, options)),
    );
}

function addReading(sessions: Command, io: Io, done: Done): void {
  sessions
    .command('list')
    .description('newest first')
    .option('--trash', 'those that were deleted and can be restored')
    .addOption(limit())
    .addOption(json())
    .action(async (options: object) => {
      const { listSessions } = await import('../commands/sessions/list.ts');
      done(await withClient(io, (client) => listSessions(io, client, options)));
    });
  sessions
    .command('show')
    .description('prompts, answers and sub-agents')
    .argument('<id>', ID_OR_SPAN)
    .addOption(json())
    .action(async (id: string, options: object) => {
      const { showSession } = await import('../commands/sessions/show.ts');
      done(await withClient(io, (client) => showSession(io, client, id, options)));
    });
  sessions
    .command('trace')
    .description('the tree of runs with their times, tokens, outcomes and approvals')
    .argument('<id>', ID_OR_SPAN)
    .addOption(json())
    .action(async (id: string, options: object) => {
      const { traceSession } = await import('../commands/sessions/trace.ts');
      done(await withClient(io, (client) => traceSession(io, client, id, options)));
    });
  sessions
    .command('replay')
    .description('print the newest workflow as it was when it ran, from its log: nothing is asked of a model')
    .argument('<id>', ID_OR_SPAN)
    .addOption(
      new Option('--speed <number>', 'so many times as fast as it was, without long pauses; 0: at once')
        .argParser(speed)
        .default(20),
    )
    .action(async (id: string, options: { speed: number }) => {
      const { replaySession } = await import('../commands/sessions/replay.ts');
      done(await replaySession(io, id, options));
    });
  sessions
    .command('search')
    .description('where all of these words occur: prompts, answers, reports, results of tools')
    .argument('<text>')
    .addOption(limit())
    .addOption(json())
    .action(async (text: string, options: object) => {
      const { searchSessions } = await import('../commands/sessions/search.ts');
      done(await withClient(io, (client) => searchSessions(io, client, text, options)));
    });
}

interface Rewound {
  files?: boolean;
  messages?: boolean;
  again?: boolean;
  leave?: boolean;
  json?: boolean;
}

function addRewind(sessions: Command, io: Io, done: Done): void {
  sessions
    .command('rewind')
    .description('go back to before a message: its files, what the lead is told of, or both; nothing is deleted')
    .argument('<id>', ID)
    .argument('<workflow>', 'the message to go back to before: the id of its workflow, or the first characters')
    .option('--files', 'put back what agents changed in files since')
    .option('--messages', 'tell the lead nothing of it and of what came after it any more')
    .option('--leave', 'put back the rest where files are in the way')
    .option('--again', 'take that back')
    .addOption(json())
    .action(async (id: string, workflow: string, options: Rewound) => {
      const { files = false, messages = false, again = false, leave = false, ...rest } = options;
      if (!files && !messages) throw new UsageError('say what goes back: --files, --messages, or both');
      if (leave && !files) throw new UsageError('--leave belongs to --files');
      const { rewindSession } = await import('../commands/sessions/rewind.ts');
      const wish = { ...rest, files, messages, again, leave };
      done(await withClient(io, (client) => rewindSession(io, client, { id, workflow }, wish)));
    });
}

interface Forked {
  at?: string;
  before?: boolean;
  steps?: boolean;
  goOn?: boolean;
  approve?: ApprovePolicy;
  json?: boolean;
}

function addFork(sessions: Command, io: Io, done: Done): void {
  sessions
    .command('fork')
    .description('make a new session whose history ends at a message or a step of this one; files stay as they are')
    .argument('<id>', ID)
    .option(
      '--at <place>',
      'the id of a workflow, or the first characters; or a step: 4 of the newest, WORKFLOW:4, RUN:4; default: the newest workflow',
    )
    .option('--before', 'end right before that message')
    .option('--steps', 'list the steps instead; makes no session')
    .option('--go-on', 'go on from that step: what was done until there is taken from the cache, the rest is asked')
    .addOption(approve())
    .addOption(json())
    .action(async (id: string, { before = false, steps = false, goOn = false, ...options }: Forked) => {
      const { forkSession, goOnFrom, listSteps } = await import('../commands/sessions/fork.ts');
      if ([before, steps, goOn].filter(Boolean).length > 1)
        throw new UsageError('--before, --steps and --go-on are three different things: give one of them');
      if (options.approve && !goOn) throw new UsageError('--approve belongs to --go-on: else nothing is asked');
      if (goOn) return done(await goOnFrom(io, id, options));
      const work = (client: Client) =>
        steps ? listSteps(io, client, id, options.at) : forkSession(io, client, id, { ...options, before });
      done(await withClient(io, work));
    });
}

function addAgain(sessions: Command, io: Io, done: Done): void {
  sessions
    .command('again')
    .description('run one sub-agent again, alone, with the settings that it had; files stay as they are')
    .argument('<run>', 'the id of its run, or the first characters: see "triad sessions agents" and "trace"')
    .addOption(approve())
    .addOption(new Option('--json', 'print one event per line'))
    .action(async (id: string, options: object) =>
      done(await (await import('../commands/sessions/again.ts')).runAgain(io, id, options)),
    );
}

function addSay(sessions: Command, io: Io, done: Done): void {
  sessions
    .command('say')
    .description('say something to a sub-agent that works: it reads that before its next request to the model')
    .argument('<run>', 'the id of its run, or the first characters: see "triad sessions agents" and "trace"')
    .argument('<text>', 'what it should know; it answers no question and starts nothing')
    .action(async (id: string, text: string) => {
      const { sayToRun } = await import('../commands/sessions/say.ts');
      done(await withClient(io, (client) => sayToRun(io, client, id, text)));
    });
}

function addTryNow(sessions: Command, io: Io, done: Done): void {
  sessions
    .command('try-now')
    .description('send requests that wait for their provider again at once')
    .argument('<id>', ID)
    .action(async (id: string) => {
      const { tryNow } = await import('../commands/sessions/try-now.ts');
      done(await withClient(io, (client) => tryNow(io, client, id)));
    });
}

const KINDS = ['spawn', 'delegate', 'parallel', 'chain', 'coagent'] as const satisfies readonly RunKind[];
const STATUSES = ['pending', 'running', 'completed', 'error', 'cancelled'] as const satisfies readonly Status[];
const SORTS = ['newest', 'cost', 'duration'] as const satisfies readonly ExecutionSort[];

function addExecutions(sessions: Command, io: Io, done: Done): void {
  sessions
    .command('agents')
    .description('the sub-agents of all sessions: what each was asked, how it ended, what it used')
    .option('--agent <name>', 'only this one')
    .addOption(new Option('--kind <kind>', 'only those started so').choices(KINDS))
    .addOption(new Option('--status <status>', 'only those that are or ended so').choices(STATUSES))
    .option('--model <model>', 'only with this model')
    .addOption(new Option('--sort <order>', 'the greatest first').choices(SORTS).default('newest'))
    .addOption(limit())
    .addOption(json())
    .action(async (options: object) => {
      const { listExecutions } = await import('../commands/sessions/agents.ts');
      done(await withClient(io, (client) => listExecutions(io, client, options)));
    });
}

function addMoving(sessions: Command, io: Io, done: Done): void {
  const formats = new Option('--format <format>', 'what to print').choices(['md', 'json']).default('md');
  sessions
    .command('export')
    .description('the whole of a session as text')
    .argument('<id>', ID)
    .addOption(formats)
    .option('--unredacted', 'with keys, tokens and all that you marked as secret')
    .action(async (id: string, options: { format: 'md' | 'json'; unredacted?: boolean }) => {
      const { exportSession } = await import('../commands/sessions/trash.ts');
      done(await withClient(io, (client) => exportSession(io, client, id, options)));
    });
  sessions
    .command('project')
    .description('make the Markdown files of a session, or of all, again from the history')
    .argument('[id]', ID)
    .addOption(json())
    .action(async (id: string | undefined, options: { json?: boolean }) => {
      const { projectSessions } = await import('../commands/sessions/project.ts');
      done(await withClient(io, (client) => projectSessions(io, client, id, options)));
    });
  sessions
    .command('clean')
    .description('move old sessions to the trash')
    .addOption(new Option('--older-than <time>', 'not changed for so long').argParser(days).makeOptionMandatory())
    .addOption(json())
    .action(async (options: { olderThan: number; json?: boolean }) => {
      const { cleanSessions } = await import('../commands/sessions/trash.ts');
      done(await withClient(io, (client) => cleanSessions(io, client, options)));
    });
  sessions
    .command('delete')
    .description('move one session to the trash')
    .argument('<id>', ID)
    .action(async (id: string) => {
      const { deleteSession } = await import('../commands/sessions/trash.ts');
      done(await withClient(io, (client) => deleteSession(io, client, id)));
    });
  sessions
    .command('restore')
    .description('bring one session back from the trash')
    .argument('<id>', ID)
    .action(async (id: string) => {
      const { restoreSession } = await import('../commands/sessions/trash.ts');
      done(await withClient(io, (client) => restoreSession(io, client, id)));
    });
}

function speed(text: string): number {
  if (!/^\d{1,3}(\.\d)?$/.test(text)) throw new InvalidArgumentError('This is a number from 0 to 999, such as 20.');
  return Number(text);
}

/** Days, or weeks. */
function days(text: string): number {
  const [, number, unit] = /^(\d{1,4})([dw])$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('This is a number of days or weeks, such as 30d or 4w.');
  return Number(number) * (unit === 'w' ? 7 : 1);
}
