/** `triad sessions fork`: makes a new session that ends at a message or a step of another one, or goes on from there. */
import type { Command } from 'commander';
import type { ApprovePolicy } from '#contract/agent.ts';
import type { Client } from '#contract/rpc.ts';
import type { ForkEnd } from '#contract/messages/fork.ts';
import { openLink, withClient } from '../../follow/link.ts';
import type { Session } from '../../render/session-json.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Exit, Io } from '../../terminal/io.ts';
import { approve, sessionArgument } from '../parameters.ts';
import { loadSession } from './load-session.ts';

interface Options {
  /** `WORKFLOW`, `STEP` of the newest workflow, `WORKFLOW:STEP` or `RUN:STEP`. Accepts the first characters of ids. */
  at?: string;
  before?: boolean;
  steps?: boolean;
  goOn?: boolean;
  approve?: ApprovePolicy;
  json?: boolean;
}

export function addSessionsFork(sessions: Command, io: Io, exit: Exit): void {
  sessions
    .command('fork')
    .description('make a new session whose history ends at a message or a step of this one; files stay as they are')
    .addArgument(sessionArgument())
    .option(
      '--at <place>',
      'id of a workflow, or its first characters; or a step: 4 (of the newest workflow), WORKFLOW:4 or RUN:4 (default: the newest workflow)',
    )
    .option('--before', 'end before that message instead of after it')
    .option('--steps', 'list the steps, and make no session')
    .option('--go-on', 'continue from that step: earlier work is copied, and the rest is requested again')
    .addOption(approve())
    .option('--json', 'print JSON; with --go-on, one event per line')
    .action(async (id: string, options: Options) => {
      const { before, steps, goOn } = options;
      if ([before, steps, goOn].filter(Boolean).length > 1)
        throw new UsageError('--before, --steps and --go-on are three different things: give one of them');
      if (options.approve && !goOn) throw new UsageError('--approve belongs to --go-on: else nothing is asked');
      if (goOn) return exit(await goOnFrom(io, id, options));
      const work = (client: Client) =>
        steps ? listSteps(io, client, id, options) : forkSession(io, client, id, options);
      await withClient(io, work);
    });
}

interface ForkPosition {
  workflowId: string;
  /** Number of an entry of the run; without `runId`, of the lead's run. */
  entry?: number;
  runId?: string;
}

async function forkSession({ screen }: Io, client: Client, word: string, options: Options): Promise<void> {
  const { at, before, json } = options;
  const session = await loadSession(client, word);
  const end: ForkEnd = before ? 'before' : 'after';
  const asked = { conversationId: session.conversation.id, ...placeOf(session, at), end };
  if (before && asked.entry !== undefined) throw new UsageError('--before belongs to a message, not to a step of it');
  const { id, title, folder, agent, createdAt, from } = await client.request('conversation.fork', asked);
  if (json) return screen.data(`${JSON.stringify({ id, title, folder, agent, createdAt, from }, null, 2)}\n`);
  screen.data(`${id}\n`);
  screen.note(`Files stay as they are. To go on: triad run --conversation ${id} "…"`);
}

/** Lists the steps at which the session can be forked, with their values for `--at`. */
async function listSteps({ screen }: Io, client: Client, word: string, { at }: Options): Promise<void> {
  const session = await loadSession(client, word);
  const { workflowId } = placeOf(session, at);
  const runs = session.runs.filter((run) => run.workflowId === workflowId);
  const parts = await Promise.all(
    runs.map(async (run) => ({ run, entries: await client.request('run.entries', { runId: run.id }) })),
  );
  const { stepLines } = await import('../../render/step-lines.ts');
  for (const line of stepLines(parts, screen.width, screen.dataStyle)) screen.data(`${line}\n`);
}

/** Forks and goes on. Resolves with the exit code when the fork has ended. */
function goOnFrom(io: Io, word: string, { at, ...options }: Options): Promise<number> {
  const find = async (client: Client) => {
    const session = await loadSession(client, word);
    const place = placeOf(session, at);
    if (place.entry === undefined)
      throw new UsageError(
        `--go-on needs a step, such as --at 4: see "triad sessions fork ${session.conversation.id} --steps"`,
      );
    return { conversationId: session.conversation.id, ...place };
  };
  return followFork(io, options, find, (id) => `Session ${id} goes on from there.`);
}

/**
 * Makes a fork that goes on, and follows it. Resolves with the exit code when the fork has ended. `needsYes`: the fork
 * starts only after a yes, so `--approve` is required without a terminal.
 */
export async function followFork(
  io: Io,
  { json = false, needsYes = false, ...options }: Pick<Options, 'approve' | 'json'> & { needsYes?: boolean },
  find: (client: Client) => Promise<ForkPosition & { conversationId: string }>,
  describe: (id: string, place: ForkPosition) => string,
): Promise<number> {
  const { terminalFor } = await import('../../follow/answers.ts');
  const { follow } = await import('../../follow/follow.ts');
  const { approve, terminal } = await terminalFor(io, options.approve);
  try {
    const link = await openLink(io, true);
    try {
      const place = await link.ask(find);
      if (needsYes && terminal === null && options.approve === undefined)
        throw new UsageError('It starts after a yes, and there is no terminal to ask on: use --approve all');
      // Sent without `ask`: a repeated request would make two forks.
      const { id } = await link.current.client.request('conversation.fork', { ...place, goOn: true, approve });
      const { workflows } = await link.ask((client) => client.request('conversation.snapshot', { conversationId: id }));
      const running = workflows.at(-1)?.id ?? '';
      io.screen.note(
        `${describe(id, place)} Files stay as they are. What was done until there is copied, at no cost; the rest is requested again.`,
      );
      const start = () => Promise.resolve(running);
      return await follow(io, link, { conversationId: id, json, answers: terminal, running, start, find: start });
    } finally {
      await link.close();
    }
  } finally {
    terminal?.close();
  }
}

function placeOf({ conversation, workflows, runs }: Session, at: string | undefined): ForkPosition {
  const newest = workflows.at(-1);
  if (at === undefined || /^(0|[1-9]\d{0,5})$/.test(at)) {
    if (!newest) throw new UsageError('Nothing was said in this session yet');
    return { workflowId: newest.id, ...(at !== undefined && { entry: Number(at) }) };
  }
  const [, id = '', entry] = /^([^:]*)(?::(\d{1,6}))?$/.exec(at) ?? [];
  const step = entry === undefined ? {} : { entry: Number(entry) };
  const meant = id === '' ? [] : workflows.filter((workflow) => workflow.id.startsWith(id));
  if (meant.length === 1) return { workflowId: meant[0]!.id, ...step };
  const ran = id === '' || entry === undefined ? [] : runs.filter((run) => run.id.startsWith(id));
  if (meant.length === 0 && ran.length === 1) return { workflowId: ran[0]!.workflowId, runId: ran[0]!.id, ...step };
  throw new UsageError(
    `"${at}" is neither the id of one workflow of this session nor a step: see "triad sessions show ${conversation.id}", and for steps "triad sessions fork ${conversation.id} --steps"`,
  );
}
