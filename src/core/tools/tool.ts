/** What a tool is: a name, a schema, what it may do and how it runs; differences between tools are fields. */
import type { FileHandle } from 'node:fs/promises';
import type { z } from 'zod';
import type { Permission } from '#contract/agent.ts';
import type { Approval } from '#contract/approval.ts';
import type { Image, PlanItem, StopReason, ToolStatus } from '#contract/message.ts';
import type { ToolSpec } from '../model/model.ts';
import type { Targets } from './targets.ts';
import type { Children } from './children.ts';
import type { PastReport } from './notes/note-search.ts';
import type { Question } from './question.ts';
import type { SearchJob, SearchResult } from './search/search.ts';
import type { SearchEndpoint } from './web/search-endpoint.ts';
import type { Settings } from '../settings/settings.ts';
import type { Lending } from '../workspace/lent/lenders.ts';
import type { AllowedFiles } from '../workspace/unredacted-files.ts';
import type { Workspace } from '../workspace/reach.ts';
import type { Step } from '../workspace/reverse.ts';
import type { Call } from '../workspace/snapshots.ts';
import type { RunShell } from '../workspace/shell/run-shell.ts';

export type { Question };

export interface ToolResult {
  status: ToolStatus;
  /** For the model. */
  output: string;
  /** For the person; JSON values only. */
  metadata?: Record<string, unknown>;
  /** For both, where its bytes are kept. */
  image?: Image;
  /** Text right before a page, which can have the start of a private key. */
  before?: string;
  /** True if the person allowed the text with its keys. */
  isUnredacted?: true;
}

/** Ids of a telemetry span: 32 and 16 hexadecimal digits. Spans of other programs can be its children. */
export interface CallSpan {
  traceId: string;
  spanId: string;
}

/** The call of a tool, and what the tool may do in its name. */
export interface ToolCallContext {
  readonly conversationId: string;
  readonly workflowId: string;
  readonly runId: string;
  readonly toolCallId: string;
  /** Provider and model that the run sends its requests to. */
  readonly provider: string;
  readonly model: string;
  /** The telemetry span of this call; null if no collector is set up. */
  readonly span: CallSpan | null;
  /** The call as its change sets record it. */
  readonly origin: Call;
  /** Asks the person while the call runs. No rule and no mode answers for the person. */
  ask(question: Question, signal: AbortSignal): Promise<Approval | null>;
  /** Sends one model request beside the turns of the run, counted like them. Throws what `sideRequest` throws. */
  sample(request: Sampling, signal: AbortSignal): Promise<Sampled>;
  /** Shows the end of the printed output and its size in bytes, and resets the inactivity limit. Stores nothing. */
  progress(tail: string, bytes: number): void;
}

/** Files of the workspace as this run reads and changes them. */
export interface FileContext {
  /**
   * Returns the stamp of a file, by its path relative to the workspace, as the last completed call of the run read or wrote
   * it (`stamp` in its metadata); null if none did. Read from the history of the run, so a resumed run has it too.
   */
  seen(path: string): string | null;
  /** Stores what the call will change, so that it can be undone. If it rejects, nothing may be written. */
  keep(files: readonly Changing[]): Promise<void>;
  /** Runs work that changes the workspace while no other run does. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** The client that lends its editor's files or its terminals to the conversation now. */
  readonly lent: Lending;
  /** Files that the person allowed with their keys in this conversation. */
  readonly unredacted: AllowedFiles;
}

export interface SearchContext {
  /** Searches the workspace, a few at a time for each run. After `timeoutMs` the search stops, and returns what it found. */
  readonly run: (job: SearchJob, timeoutMs?: number) => Promise<SearchResult>;
  /** Returns patterns of paths that rules hide from this agent, for a tool that reads many files at these targets. */
  hidden(tool: string, targets: Targets): Promise<readonly string[]>;
  /** Waits until the run may use one more thread. Returns the function that releases it. */
  acquireThread(): Promise<() => void>;
}

interface ShellContext {
  /** Commands of this run. */
  readonly commands: RunShell;
  /**
   * Returns the folder of the shell after the last command of the run, relative to the workspace; empty for the workspace
   * itself. Read from the history, so a resumed run has it too. The folder may be deleted by now.
   */
  folder(): string;
}

/** Stored outputs of calls. */
interface OutputContext {
  /** Returns where the whole output of this call may be stored. */
  path(): string;
  /** Opens a long output of this run. Rejects with `not_found` if none is stored. The caller closes the handle. */
  open(toolCallId: string): Promise<FileHandle>;
  /** Stores an image for the model. If it rejects, the image may not be shown. */
  keepImage(bytes: Buffer): Promise<void>;
}

interface ReportContext {
  /** Returns the reports of sub-agents that this agent may search, newest first. */
  past(): Promise<readonly PastReport[]>;
  /** Returns earlier sessions that read or wrote notes of the folder, by path of the note, newest first; none for a sub-agent. */
  noteSessions(): Promise<ReadonlyMap<string, readonly NoteSession[]>>;
  /**
   * Returns the whole report of a finished sub-agent of this conversation, or of an earlier one in the same folder; null if
   * this agent may read none with that id. Throws `conflict` while the sub-agent runs.
   */
  read(runId: string): Promise<string | null>;
}

interface WebContext {
  /** Hosts that are not public, and that the person allows tools to reach. */
  readonly privateHosts: readonly string[];
  /** The web search that the person has configured. */
  readonly searchEndpoint: Pick<SearchEndpoint, 'host' | 'search'>;
}

/** Everything that a tool may use of its run. */
export interface ToolContext {
  readonly call: ToolCallContext;
  /** Aborts when the run is stopped; every wait takes it. */
  readonly signal: AbortSignal;
  /** Nothing outside may be read or written. */
  readonly workspace: Workspace;
  readonly files: FileContext;
  readonly search: SearchContext;
  readonly shell: ShellContext;
  readonly outputs: OutputContext;
  readonly reports: ReportContext;
  readonly web: WebContext;
  readonly memory: Memory;
  /** The plan of the agent; a resumed run has it too. */
  readonly plan: {
    read(): readonly PlanItem[];
    write(items: PlanItem[]): Promise<void>;
  };
  /** Starts sub-agents; null for every run but a lead's. */
  readonly children: Children | null;
}

/** What this installation has of what tools may need. */
export interface Setup {
  search: Settings['web']['search'];
  /** The provider of the run searches the web itself. */
  providerSearches: boolean;
}

/** A conversation of text that somebody wants a model's answer to. */
interface Sampling {
  system: string;
  messages: { role: 'user' | 'assistant'; text: string }[];
  /** The run's own bound holds too. */
  maxTokens: number;
}

interface Sampled {
  text: string;
  stopReason: StopReason;
}

/** A conversation that a note is linked from. */
export interface NoteSession {
  id: string;
  title: string;
}

/** A change of a file: its path relative to the workspace, and what is there before and after. */
type Changing = Step;

/** The part of the context that `question` gets: a question changes nothing. */
export interface QuestionContext extends Pick<ToolContext, 'workspace' | 'signal' | 'children'> {
  readonly call: Pick<ToolCallContext, 'toolCallId'>;
  readonly files: Pick<FileContext, 'seen' | 'lent' | 'unredacted'>;
  readonly shell: Pick<ShellContext, 'folder'>;
  readonly web: Pick<WebContext, 'searchEndpoint'>;
}

/** Whom a tool starts: a temporary agent that its lead makes up, one that is defined, or the one that the tool is named after. */
export type Starts = 'temporary' | 'defined' | 'named';

/** The agent's own notes in this folder; no other agent reads them. */
export interface Memory {
  /** By name. */
  list(): Promise<{ name: string; text: string }[]>;
  read(name: string): Promise<string | null>;
  /** Throws `limit_reached` where no more can be kept. */
  write(name: string, text: string): Promise<void>;
  /** False where there is none of that name. */
  delete(name: string): Promise<boolean>;
}

export interface Tool<Input = unknown> {
  readonly name: string;
  /** Returns the description for the model. `maxSubAgents`: how many one workflow may start. */
  describe(maxSubAgents: number): string;
  readonly input: z.ZodType<Input>;
  /** What the model is told of the input, where that depends on how many sub-agents one workflow may start; else `input`. */
  inputFor?(maxSubAgents: number): z.ZodType<Input>;
  /** The JSON schema that the model is told, where `input` does not say it. */
  readonly schema?: Record<string, unknown>;
  readonly permissions: readonly Permission[];
  /** Every agent that may have it has it, whatever its envelope says. */
  readonly baseline: boolean;
  /** Only an agent that names it has it; any may, also where its lead does not. */
  readonly onlyNamed?: true;
  /** True if it changes notes, plans or background commands, which needs no permission. */
  readonly changesState?: true;
  /** Only the lead is offered it. */
  readonly primaryOnly: boolean;
  /** It starts sub-agents, and answers for those that were started. */
  readonly startsAgents?: Starts;
  /** True if the output is text that the person typed. Its keys are not redacted. */
  readonly isPersonText?: true;
  /** Its own output is bounded, and says how to go on: it is handed on as it is, however long. */
  readonly bounds?: true;
  /** Why nobody can have it here, and what to set up; null where it can be had. Left out for a tool that needs nothing. */
  missing?(setup: Setup): string | null;
  /**
   * How the provider does it by itself, within a request, where it can: then nobody can be asked about a call, so it is
   * left to the provider only where every call is allowed unasked. Null: it cannot.
   */
  byProvider?(setup: Setup): NonNullable<ToolSpec['server']> | null;
  /** Names that models know it by from elsewhere; it is never offered, nor run, under them. */
  readonly knownAs?: readonly string[];
  /** Other names under which it is run, with the arguments that each name implies; it is never offered under them. */
  readonly calledAs?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** An array argument: a call with one item may give the fields of that item at the top instead. */
  readonly single?: string;
  /** Maps arguments that need more than an alias, before all others. Throws `ArgumentProblem`. */
  prepareArguments?(given: Record<string, unknown>): Record<string, unknown>;
  /** Calls of one response: `concurrent` ones run together, `serial` ones one by one in request order. */
  readonly order: 'concurrent' | 'serial';
  /** A call that was running when the process died: run again, continue where it was, or answer "outcome unknown". */
  readonly recovery: 'repeat' | 'continue' | 'unknown';
  /**
   * The values that the patterns of rules are matched against. Without it, a tool that needs no permission has no targets,
   * and those of any other tool are unknown. Throws a TriadError for input that cannot work.
   */
  targets?(input: Input, workspace: Workspace): Promise<Targets>;
  /** Name of a tool that does the same in another way: rules that deny or ask about that one apply here too. */
  readonly like?: string;
  /** Of an MCP server: what that is started with, as a hash. Grants are for this one alone. */
  readonly server?: string;
  /** What stands for arguments that no rule is about, where a call is explained without them. */
  readonly sample?: SampleCall;
  /** What to ask before execution; null where a call needs no approval. Throws a TriadError for input that cannot work. */
  question?(input: Input, context: QuestionContext): Promise<Question | null>;
  /** `approval` is the answered question; its edits of a tool's input are already in `input`. */
  execute(input: Input, context: ToolContext, approval: Approval | null): Promise<ToolResult>;
  /** Removes what a call of it has left in the workspace when the program was killed; for `recovery: 'unknown'`. */
  clear?(input: Input, context: ToolContext): Promise<void>;
}

interface SampleCall {
  readonly input: Readonly<Record<string, unknown>>;
  /** What its question says of them means nothing: they fit no file. */
  readonly isMadeUp?: true;
}

/** Whether a tool changes anything outside of the conversation. */
export function writes({ permissions }: Pick<Tool, 'permissions'>): boolean {
  return permissions.some((permission) => permission.endsWith('Write') || permission === 'Execute');
}

/** Keeps a tool's own input type while it is written; the registry holds tools of unknown input. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  return tool;
}
