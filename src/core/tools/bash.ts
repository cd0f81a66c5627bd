/** The tools that run commands in a shell: without and with the network. */
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { canonicalHash } from '../base/hash.ts';
import { pathTitleOf, titleOf } from '#contract/messages/short-text.ts';
import type { Approval } from '#contract/approval.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import { TriadError } from '../base/errors.ts';
import type { Lender } from '../workspace/lent/lenders.ts';
import { readCommandLine } from '../workspace/shell/commands.ts';
import type { Ran, ShellHost } from '../workspace/shell/run-shell.ts';
import { undoableOf } from '../workspace/shell/undoable.ts';
import type { ShellResult } from '../workspace/shell/shell-process.ts';
import { canRunCode } from '../workspace/steering-files.ts';
import { workingFolder } from '../workspace/shell/working-folder.ts';
import { changedMetadata, changedNames } from './changed-files.ts';
import { leftOut } from './long-output.ts';
import { describePutBack, settleControlFiles, withoutPutBack } from './settle-control-files.ts';
import { toToolResult } from './to-tool-result.ts';
import {
  defineTool,
  type Question,
  type QuestionContext,
  type Tool,
  type ToolContext,
  type ToolResult,
} from './tool.ts';
import { asked } from './asked.ts';
import { ArgumentProblem, conflict, toSnakeCase } from './arguments.ts';
import { STARTS_IN, type Targets } from './targets.ts';

const OFFLINE = 'bash';
const ONLINE = 'bash_online';
const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 3600;
/** Maximum number of files that can run code in a result. */
const MAX_PROGRAMS = 20;
/** The end of the output that is stored while it comes, in UTF-16 code units. It is longer than what is shown, so that no key is cut. */
const TAIL_CHARS = 12_000;
/** How often it is shown, in milliseconds. */
const TAIL_MS = 200;
/** So often it is told that a command still runs, which prints nothing. */
const ALIVE_MS = 1000;

const Input = z.strictObject({
  command: z.string().min(1).max(100_000).describe('The command line.'),
  timeout_seconds: z
    .int()
    .min(1)
    .max(MAX_SECONDS)
    .optional()
    .describe(`Time limit. Default: ${DEFAULT_SECONDS}; at most ${MAX_SECONDS}.`),
  background: z
    .boolean()
    .optional()
    .describe(
      `Return at once; bash_jobs lists, reads and ends it. Start a server with ${ONLINE}: other commands reach none without the network.`,
    ),
  read_only: z
    .boolean()
    .optional()
    .describe('Forbid writing, so that it need not wait for other agents. Needs a sandbox.'),
});
type Input = z.infer<typeof Input>;

export function bashTools(host: ShellHost): Tool[] {
  return [bashTool(host, false), bashTool(host, true)];
}

function bashTool(host: ShellHost, network: boolean): Tool {
  const name = network ? ONLINE : OFFLINE;
  return defineTool<Input>({
    name,
    describe: () =>
      network
        ? `Like ${OFFLINE}, with the network.`
        : `Runs a command with bash, without the network (${ONLINE} has it), and returns its output and exit code. It starts in the workspace folder; a changed folder is used by the next command. Standard input is empty. To write to .git, name git in the command. The person approves it, unless a rule allows it: prefer one simple command to a chain, and the other tools for reading, searching and writing files.`,
    input: Input,
    prepareArguments: (given) => prepareArguments(given, network),
    permissions: ['Execute', 'FilesystemWrite', ...(network ? (['NetworkAccess'] as const) : [])],
    ...(network ? { like: OFFLINE } : {}),
    baseline: false,
    primaryOnly: false,
    bounds: true,
    order: 'serial',
    recovery: 'unknown',
    targets: (input) => Promise.resolve(commandTargets(input)),
    question: (input, context) => ask({ host, name, network }, input, context),
    execute: (input, context, approval) =>
      toToolResult(context, () => (input.background ? start : run)({ host, network, approval }, input, context)),
  });
}

/** Time limits by their names, with the number of seconds of one unit; `timeout` is in seconds below 1,000. */
const TIMEOUTS: Readonly<Record<string, (value: number) => number>> = {
  timeout: (value) => (value < 1000 ? value : value / 1000),
  timeout_seconds: (value) => value,
  timeout_ms: (value) => value / 1000,
};

/**
 * Reads every form of the time limit, drops `description`, and drops `network` where it says what this tool does anyway.
 * Throws `ArgumentProblem` for two different time limits, and for a call that means the other tool.
 */
function prepareArguments(given: Record<string, unknown>, hasNetwork: boolean): Record<string, unknown> {
  const prepared: [key: string, value: unknown][] = [];
  let timeout: { key: string; seconds: number } | null = null;
  for (const [key, value] of Object.entries(given)) {
    const name = toSnakeCase(key);
    const toSeconds = Object.hasOwn(TIMEOUTS, name) ? TIMEOUTS[name] : undefined;
    if (name === 'description' || (name === 'network' && isBoolean(value, hasNetwork))) continue;
    if (name === 'network' && isBoolean(value, !hasNetwork))
      throw new ArgumentProblem(`call ${hasNetwork ? OFFLINE : ONLINE} for ${key}: ${!hasNetwork}`);
    if (!toSeconds) prepared.push([key, value]);
    else if (value !== null) {
      const isAmount = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
      const amount = isAmount ? Number(value) : Number.NaN;
      if (!Number.isFinite(amount)) throw new ArgumentProblem(`${key} must be a number`);
      const seconds = Math.ceil(toSeconds(amount));
      if (timeout && timeout.seconds !== seconds) throw conflict(timeout.key, key);
      timeout = { key, seconds };
    }
  }
  return Object.fromEntries([...prepared, ...(timeout ? [['timeout_seconds', timeout.seconds] as const] : [])]);
}

function isBoolean(value: unknown, expected: boolean): boolean {
  return value === expected || (typeof value === 'string' && value.toLowerCase() === String(expected));
}

/** What cannot be seen in a command, as a comment behind it. */
const ONLY_READS = '# only reads';
const IN_BACKGROUND = '# in the background';

/** Lists what the command line runs, for rules and grants. A command in the background needs a rule that names it so. */
function commandTargets(input: Input): NonNullable<Targets> {
  const { values, limits, words } = readCommandLine(input.command);
  const forms = (value: string): string[] => (input.background ? [value, `${value} &`] : [value]);
  return {
    values: values.flatMap(forms),
    path: false,
    each: true,
    whole: words === null ? null : wholeCall(input),
    ...(words === undefined ? {} : { words }),
    ...(limits.length === 0
      ? {}
      : { limits: limits.flatMap(({ value, reason }) => forms(value).map((one) => ({ value: one, reason }))) }),
  };
}

/** Returns the call as one text; null for a command line that ends like one of the marks. */
function wholeCall({ command, read_only: readOnly, background }: Input): string | null {
  const marks = [...(readOnly ? [ONLY_READS] : []), ...(background ? [IN_BACKGROUND] : [])];
  const isLike = [ONLY_READS, IN_BACKGROUND].some((mark) => command.endsWith(mark)) || command.includes(STARTS_IN);
  return isLike ? null : [command, ...marks].join(' ');
}

async function ask(
  { host, name, network }: { host: ShellHost; name: string; network: boolean },
  input: Input,
  context: QuestionContext,
): Promise<Question> {
  const { workspace, files, signal } = context;
  const { folder } = workspace;
  const startsIn = relative(folder, (await workingFolder(workspace, shellFolder(context))).folder);
  const inTerminal = goesToTerminal(input) && files.lent('terminal') !== null;
  const subject = {
    kind: 'tool' as const,
    tool: name,
    input,
    folder,
    preview: null,
    hash: canonicalHash({ tool: name, input }),
    ...(inTerminal ? { terminal: true as const } : {}),
    ...(startsIn === '' ? {} : { startsIn }),
  };
  const title = titled(input, startsIn);
  const where = startsIn === '' ? [] : [phrase('starts_in', { folder: startsIn })];
  const { timeout_seconds: seconds = DEFAULT_SECONDS, background = false } = input;
  const time = phrase('ended_after', { seconds, background });
  if (inTerminal)
    return { ...asked(title, [...where, ...unbound(network), time]), subject, risk: 'high', reversible: false };
  const sandbox = await host.sandboxFor(workspace);
  if (input.read_only && !sandbox) throw unkeepable();
  const { reversible, says, write } = await undoableOf(host, workspace, wishOf(input, network), signal);
  const bounds = phrase('in_sandbox', { folder, reads: write === 'nothing', network });
  return {
    ...asked(title, [...where, ...(sandbox ? [bounds, says] : [phrase('no_sandbox')]), time]),
    subject,
    risk: sandbox && !network ? 'medium' : 'high',
    reversible,
    ...(sandbox && !reversible ? { nameable: true as const } : {}),
  };
}

function titled(input: Input, startsIn: string): Phrase {
  const first = titleOf(input.command);
  const isCut = first.endsWith('…') || !input.command.trim().includes('\n');
  const command = isCut ? first : `${first} …`;
  return startsIn === '' ? phrase('run', { command }) : phrase('run_in', { command, folder: pathTitleOf(startsIn) });
}

/** Where the last command has left the shell, as an absolute path. */
function shellFolder({ workspace, shell }: Pick<QuestionContext, 'workspace' | 'shell'>): string {
  return join(workspace.folder, shell.folder());
}

/** Where its question said that it begins, relative to the workspace folder; null where there was none. */
function saidIn(approval: Approval | null): string | null {
  const subject = approval?.request.subject;
  return subject?.kind === 'tool' ? (subject.startsIn ?? '') : null;
}

function unbound(network: boolean): Phrase[] {
  return [phrase('in_terminal'), phrase('terminal_network', { wanted: network }), phrase('never_unasked')];
}

/** Commands that somebody could watch; what only reads keeps to the sandbox, which sees to it. */
function goesToTerminal({ background = false, read_only: readOnly = false }: Input): boolean {
  return !background && !readOnly;
}

/** The terminal that was approved; null where a shell of ours was. Throws `disconnected` where it has gone: nothing else takes its place. */
function terminalOf(approval: Approval | null, { files }: ToolContext): Lender | null {
  const subject = approval?.request.subject;
  if (subject?.kind !== 'tool' || subject.terminal !== true) return null;
  const terminal = files.lent('terminal');
  if (terminal !== null) return terminal;
  throw new TriadError(
    'disconnected',
    'The client that lent its terminal has gone: nothing was run. Call it again, and the person is asked for a shell of Triad’s own',
  );
}

const wishOf = ({ command, read_only: readOnly = false, background = false }: Input, network: boolean) => {
  return { command, network, readOnly, background };
};

const unkeepable = () => new TriadError('bad_input', 'No sandbox protects this folder: read_only cannot be kept');

interface Running {
  host: ShellHost;
  network: boolean;
  approval: Approval | null;
}

/** Throws `bad_input` where it cannot be run as it is asked for, `conflict` where what was approved holds no more. */
async function askedOf({ host, network, approval }: Running, input: Input, context: ToolContext) {
  const { workspace, signal } = context;
  const { command, timeout_seconds = DEFAULT_SECONDS } = input;
  if (input.read_only && (await host.sandboxFor(workspace)) === null) throw unkeepable();
  const begins = { folder: shellFolder(context), saidIn: saidIn(approval) };
  const wanted = { command, network, workspace, ...begins, timeoutMs: timeout_seconds * 1000 };
  // What was approved as something that cannot be undone may write all there is, whatever can be undone of it.
  if (approval && !approval.request.reversible) return { ...wanted, write: 'all' as const };
  const { reversible, says, write } = await undoableOf(host, workspace, wishOf(input, network), signal);
  if (approval && !reversible)
    throw new TriadError('conflict', `${sentenceOf(says)}, as it could when it was approved: ask again`);
  return { ...wanted, write };
}

/** Settles what an interrupted run, or a command in the background, left without an answer. */
async function settleEarlier({ host }: Running, context: ToolContext): Promise<void> {
  const controlFiles = host.workspaces?.controlFiles;
  if (controlFiles && !controlFiles.isCommandRunning(context.workspace))
    await settleControlFiles(controlFiles, context);
}

async function start(running: Running, input: Input, context: ToolContext): Promise<ToolResult> {
  await settleEarlier(running, context);
  const id = await context.shell.commands.start(await askedOf(running, input, context), context.call.origin);
  const output = `It runs in the background as ${id}. bash_jobs reads what it prints, and ends it; it ends with you at the latest.`;
  return { status: 'completed', output, metadata: { command: input.command, background: id } };
}

async function run(running: Running, input: Input, context: ToolContext): Promise<ToolResult> {
  await settleEarlier(running, context);
  const file = context.outputs.path();
  const follower = new Follower(context);
  const asked = await askedOf(running, input, context);
  const terminal = terminalOf(running.approval, context);
  const work = context.shell.commands
    .run({ ...asked, file, onOutput: (text, bytes) => follower.take(text, bytes) }, context.call.origin, terminal)
    .finally(() => follower.end());
  // A step after the command can fail, for instance its snapshot.
  const [ran] = await Promise.allSettled([work]);
  const { controlFiles } = running.host.workspaces ?? {};
  const settlement = controlFiles && terminal === null ? await settleControlFiles(controlFiles, context) : null;
  if (ran.status === 'rejected') throw ran.reason;
  const result = ran.value;
  const changed = settlement ? withoutPutBack(result.changed, settlement) : result.changed;
  const { output, exitCode, timedOut, stopped } = result;
  const shown = await shownOutput(result, file, context.call.toolCallId);
  const status = stopped ? 'cancelled' : exitCode === 0 && !timedOut ? 'completed' : 'error';
  const putBack = settlement && describePutBack(settlement);
  const notes = [...notesOn(input, { ...result, changed }, context), ...(putBack === null ? [] : [putBack])];
  return {
    status,
    output: [...(shown === '' ? [] : [shown.replace(/\n$/, '')]), ...notes.map((note) => `[${note}]`)].join('\n'),
    metadata: {
      command: input.command,
      exitCode,
      bytes: output.bytes,
      timedOut,
      network: running.network || terminal !== null,
      ...(result.terminalId === undefined ? {} : { terminalId: result.terminalId }),
      // Where the next command begins.
      folder: folderWithin(context, result),
      ...changedMetadata(changed),
    },
  };
}

async function shownOutput({ output }: ShellResult, file: string, toolCallId: string): Promise<string> {
  const { head, tail, bytes, cut } = output;
  if (cut === 0) {
    await rm(file, { force: true });
    return head;
  }
  return `${head}\n${leftOut({ head, cut, bytes }, toolCallId)}\n${tail}`;
}

/** Relative to the workspace folder; empty for itself. */
function folderWithin({ workspace }: ToolContext, { folder }: ShellResult): string {
  return relative(workspace.folder, folder);
}

/** Errors of the system for what is mounted in the sandbox. */
const REFUSED_BY_MOUNT = /Device or resource busy|Read-only file system/;
const MOUNT_NOTE =
  'the sandbox protects files with keys, their folders, and the settings and hooks of git from changes';

function notesOn({ timeout_seconds = DEFAULT_SECONDS }: Input, result: Ran, context: ToolContext): string[] {
  const { changed, exitCode, signal, timedOut, stopped, output, folderReset } = result;
  const at = folderWithin(context, result);
  const programs = (changed?.files ?? [])
    .filter(canRunCode)
    .map(({ path }) => path)
    .slice(0, MAX_PROGRAMS);
  const ended = timedOut
    ? `ended after ${timeout_seconds} s: give it more timeout_seconds, or run it in the background`
    : stopped
      ? 'stopped before it was done'
      : exitCode === null
        ? `ended by ${signal ?? 'a signal'}`
        : `exit code ${exitCode}`;
  return [
    `${ended}${at === '' ? '' : `, in ${at}`}`,
    ...(folderReset
      ? ['the working folder was outside of the workspace, or is gone: it is the workspace folder again']
      : []),
    ...(REFUSED_BY_MOUNT.test(output.head + output.tail) ? [MOUNT_NOTE] : []),
    ...(changed && changed.files.length > 0 ? [`files changed: ${changedNames(changed)}`] : []),
    ...(programs.length > 0 ? [`can run code: ${programs.join(', ')}`] : []),
    ...(output.unkept > 0 ? [`the last ${output.unkept} bytes of its output were not kept`] : []),
  ];
}

/** Shows the end of what a command prints, now and then, and that it still runs. */
class Follower {
  readonly #context: ToolContext;
  readonly #alive: NodeJS.Timeout;
  #tail = '';
  #bytes = 0;
  #soon: NodeJS.Timeout | null = null;

  constructor(context: ToolContext) {
    this.#context = context;
    this.#alive = setInterval(() => this.#tell(), ALIVE_MS).unref();
  }

  take(text: string, bytes: number): void {
    const all = this.#tail + text;
    // The end of a word alone is dropped: a key is known by its start.
    this.#tail =
      all.length <= TAIL_CHARS
        ? all
        : all
            .slice(-TAIL_CHARS)
            .replace(/^\S{1,400}(?=\s)/, '')
            .toWellFormed();
    this.#bytes = bytes;
    this.#soon ??= setTimeout(() => this.#tell(), TAIL_MS).unref();
  }

  end(): void {
    clearInterval(this.#alive);
    clearTimeout(this.#soon ?? undefined);
  }

  #tell(): void {
    clearTimeout(this.#soon ?? undefined);
    this.#soon = null;
    this.#context.call.progress(this.#tail, this.#bytes);
  }
}
