/** The one table of methods and topics: every host serves it, every client is typed from it. */
import { z } from 'zod';
import { agentMethods } from './agents/agent-methods.ts';
import { AgentName, ApprovalMode, ApprovePolicy, Budget } from './agent.ts';
import { AppState, SearchState } from './app-state.ts';
import { Answer, Decision } from './approval.ts';
import { UndoneFile } from './change.ts';
import { changeMethods } from './change-methods.ts';
import { contextMethods } from './context/context-methods.ts';
import { Door } from './telemetry/door.ts';
import { type AgentEvent, DurableEvent } from './event.ts';
import { FolderKind } from './hosts/folder-kind.ts';
import { archiveMethods } from './history/archive-methods.ts';
import { historyMethods } from './history/history-methods.ts';
import { journalMethods } from './history/journal-methods.ts';
import { noticeMethods } from './history/store-notice.ts';
import { Lent, type LentCall, lentMethods } from './hosts/lent.ts';
import { LANGUAGES } from './messages/language.ts';
import { Id } from './ids.ts';
import { MAX_PROMPT_CHARS, MAX_SEQ } from './limits.ts';
import { conversationFilter } from './list-filter.ts';
import { mcpMethods } from './mcp/mcp-methods.ts';
import { Entry, Image } from './message.ts';
import { ForkEnd } from './messages/fork.ts';
import { messageMethods } from './messages/message-methods.ts';
import { LeadChoice, SentFiles, SentImages } from './messages/sending.ts';
import { folder, method, nothing, pageOf, paging } from './method.ts';
import { Missing, Unlisted } from './missing.ts';
import { Grant, Pattern, Rule, Verdict } from './permission.ts';
import { ruleMethods } from './permissions/rule-methods.ts';
import { PriceOverview } from './prices.ts';
import { providerMethods } from './providers/provider-methods.ts';
import { settingMethods } from './settings/setting-methods.ts';
import { securityMethods } from './hosts/security.ts';
import { telemetryMethods } from './telemetry/telemetry-methods.ts';
import { TrustedFolder, TrustLook } from './trust.ts';
import {
  Answered,
  type Attention,
  ConversationRow,
  MemoryNote,
  RunRow,
  SessionWork,
  SettingRow,
  Snapshot,
  StopReceipt,
  ToolCallRow,
  WorkflowDetail,
} from './view.ts';

const conversationId = z.strictObject({ conversationId: Id });
/** `seen`: the complete limits that the client saw; rejects with `conflict` if they have changed since. */
const more = { add: Budget, seen: Budget };
/** A new conversation; left out: in the default folder, with the usual lead. */
const beginning = { folder: z.string().min(1).max(4096).optional(), agent: AgentName.optional() };
export const methods = {
  'app.state': method(nothing, AppState),
  ...providerMethods,
  /** The search of the web that is configured, and whose key is kept. */
  'search.state': method(nothing, SearchState),
  /** Keeps the key of the search of the web that is configured now; an empty one removes it. */
  'search.set-key': method(z.strictObject({ apiKey: z.string().max(1000) }), SearchState),
  'settings.list': method(nothing, z.array(SettingRow)),
  /** Null restores the default. Applies to workflows that start afterwards. */
  'settings.set': method(
    z.strictObject({
      path: z.string().min(1).max(200),
      value: z.union([z.string().max(4096), z.number(), z.boolean(), z.null()]),
    }),
    z.array(SettingRow),
  ),
  ...settingMethods,
  /** What models cost, by which list, and which of those in use have no price. */
  'prices.list': method(nothing, PriceOverview),
  ...agentMethods,
  /** `texts`: include each file's text and its diff against the trusted one. */
  'trust.look': method(z.strictObject({ folder: folder.optional(), texts: z.boolean().default(false) }), TrustLook),
  /** Exactly these, as they were looked at, are trusted from now on; `conflict` where one has changed since. */
  'trust.set': method(
    z.strictObject({
      folder,
      files: z.array(z.strictObject({ path: z.string().max(4096), hash: z.string().max(64) })).max(10_000),
    }),
    TrustLook,
  ),
  'trust.revoke': method(z.strictObject({ folder }), z.object({ revoked: z.boolean() })),
  'trust.list': method(nothing, z.array(TrustedFolder)),
  /**
   * `text`: all of its words occur in the title or the folder, whatever their case and accents. A page of those has what
   * was found in a part of the list, may be empty, and is the last where `next` is null.
   */
  'conversation.list': method(z.strictObject({ ...paging, ...conversationFilter }), pageOf(ConversationRow)),
  /** What happened in each of these conversations, in their order; also of those in the trash. */
  'conversation.work': method(z.strictObject({ conversationIds: z.array(Id).max(200) }), z.array(SessionWork)),
  /** `provider`: the one that its first message will ask, where it names one. */
  'conversation.create': method(z.strictObject({ ...beginning, provider: LeadChoice.shape.provider }), ConversationRow),
  'conversation.get': method(conversationId, ConversationRow),
  /** Its title (an empty one: that of its first message again), and whether it is pinned; its "last used" stays. */
  'conversation.keep': method(
    z.strictObject({ conversationId: Id, title: z.string().max(200).optional(), pinned: z.boolean().optional() }),
    ConversationRow,
  ),
  /**
   * Folders whose path begins with `text`, absolute or with `~`; at most 30, by name; hidden ones where their dot was
   * written. Empty where there is none that can be read.
   */
  'folder.complete': method(z.strictObject({ text: z.string().max(4096) }), z.array(z.string())),
  /** Classifies a folder, for the choice of example tasks; `not_found` if no folder can be read at this path. */
  'folder.inspect': method(z.strictObject({ folder }), FolderKind),
  /**
   * The folder that the person picks in a dialog of the system, which opens at `from`; null where they pick none, and on
   * hosts that have no such dialog (all but the desktop).
   */
  'folder.pick': method(z.strictObject({ from: z.string().max(4096) }), z.object({ folder: z.string().nullable() })),
  /** Another lead for a conversation in which nothing was said yet; else `conflict`. */
  'conversation.set': method(z.strictObject({ conversationId: Id, agent: AgentName }), ConversationRow),
  /** Durable events after number `after`, oldest first, at most 1000: for a client that reconnects. */
  'conversation.events': method(
    z.strictObject({ conversationId: Id, after: z.int().nonnegative().max(MAX_SEQ) }),
    z.array(DurableEvent),
  ),
  'conversation.snapshot': method(z.strictObject({ conversationId: Id }), Snapshot),
  /** Workflows before the given one, with their runs and the leads' entries, as of event `seq`. */
  'conversation.earlier': method(z.strictObject({ conversationId: Id, before: Id }), Snapshot),
  ...changeMethods,
  ...contextMethods,
  ...mcpMethods,
  ...lentMethods,
  ...telemetryMethods,
  ...securityMethods,
  /**
   * Forks before a workflow, and undoes the file changes of this workflow and of every later one; or does neither. `leave`
   * as in `change.undo`. Returns the fork, and the outcome of each file. `conflict` while work runs in the conversation, if
   * it is in the trash, or as in `change.undo`; `not_found` if it has no such workflow.
   */
  'conversation.rewind': method(
    z.strictObject({ conversationId: Id, workflowId: Id, leave: z.boolean().default(false) }),
    z.object({ conversation: ConversationRow, files: z.array(UndoneFile) }),
  ),
  /**
   * Makes a new conversation whose history ends before or after a workflow, or at entry `entry` of its lead's run. Open work
   * is cut off in the fork. Changes no file. Copied work is not counted again.
   * `runId`: the entry belongs to this run. For a sub-agent, the history of the lead ends before its report.
   * `goOn`: the fork also goes on from that entry. Earlier work is copied, without cost. `approve`: its approval policy.
   * `goOn` with `runId` and no `entry`: that sub-agent, which has ended, starts again after an approval, and its lead goes on
   * with the report. A rejection ends the fork without a request.
   * `conflict` in the trash, and for a step from which nothing can go on; `not_allowed` if a rule denies the start.
   */
  'conversation.fork': method(
    z.strictObject({
      conversationId: Id,
      workflowId: Id,
      end: ForkEnd.default('after'),
      entry: z.int().nonnegative().optional(),
      runId: Id.optional(),
      goOn: z.boolean().default(false),
      approve: ApprovePolicy.default('ask'),
    }),
    ConversationRow,
  ),
  /** The bytes of a picture that a call has shown to its agent, in base64; `not_found` where they are not kept any more. */
  'call.image': method(
    z.strictObject({ conversationId: Id, sha256: Image.shape.sha256 }),
    z.object({ data: z.string() }),
  ),
  /** Moves it to the trash; rejects with `conflict` while a workflow runs in it. */
  'conversation.delete': method(conversationId, nothing),
  'conversation.restore': method(conversationId, nothing),
  /** Deletes it permanently; rejects with `conflict` unless it is in the trash. */
  'conversation.purge': method(conversationId, nothing),
  'conversation.export': method(
    /** Secrets are redacted, unless `unredacted` is asked for: see docs/export.md. */
    z.strictObject({ conversationId: Id, format: z.enum(['md', 'json']), unredacted: z.boolean().default(false) }),
    z.object({ fileName: z.string(), text: z.string() }),
  ),
  /** Copies the store into a new folder, which whoever asks verifies and makes a backup of; older ones go as told. */
  'backup.begin': method(nothing, z.object({ partial: z.string(), keep: z.int(), maxAgeDays: z.int().nullable() })),
  /**
   * Writes all its Markdown files again from the store; returns their folder and number. Where something is `missing`,
   * files that are there stay as they are (0 are written).
   */
  'conversation.project': method(
    conversationId,
    z.object({ folder: z.string(), files: z.int(), missing: z.array(Missing).optional() }),
  ),
  /**
   * The folder of its Markdown files; null where none are kept. With `open` a host that can (`opens`: the desktop) shows it
   * in the system's file manager: no other folder can be named. Rejects with `not_found` while it is not written.
   */
  'conversation.folder': method(
    z.strictObject({ conversationId: Id, open: z.boolean().default(false) }),
    z.object({ folder: z.string().nullable(), opens: z.boolean() }),
  ),
  /**
   * Looks at everything stored of it, or of these workflows of it; returns what was looked at, and what should be there
   * and cannot be found or read.
   */
  'conversation.check': method(
    z.strictObject({ conversationId: Id, workflowIds: z.array(Id).max(200).optional() }),
    z.object({ workflows: z.int(), events: z.int(), missing: z.array(Missing) }),
  ),
  /** The notes of its folder that name it, by its id or the folder of its Markdown, as they are now, by path. */
  'conversation.notes': method(conversationId, z.object({ linking: z.array(z.string()) })),
  /** The ids of all conversations, also of those in the trash. */
  'store.conversations': method(nothing, z.array(Id)),
  /** What is in the store, by what names it, and in no list: a list ends without a word where it cannot be read. */
  'store.unlisted': method(nothing, Unlisted),
  ...archiveMethods,
  ...journalMethods,
  ...noticeMethods,
  'trash.list': method(z.strictObject(paging), pageOf(ConversationRow)),
  /** Moves conversations to the trash that have not changed for this many days; returns how many. */
  'trash.fill': method(z.strictObject({ olderThanDays: z.int().min(0).max(36_500) }), z.object({ count: z.int() })),
  ...messageMethods,
  /**
   * `files`: their texts stand behind the words, each as data (see `attached-files.ts`). `sentAs`: an id of the sender's;
   * a message that is sent once more with it is not begun again, but answered with what the first began (`conflict` where
   * its words are others). `begin`: what the conversation is made of, where there is none yet and the message begins it.
   */
  'message.send': method(
    z.strictObject({
      conversationId: Id,
      text: z
        .string()
        .max(MAX_PROMPT_CHARS, 'is longer than a message may be')
        .refine((text) => text.trim() !== '', 'is empty: write what the lead should do'),
      approve: ApprovePolicy.default('ask'),
      images: SentImages.optional(),
      files: SentFiles.optional(),
      ...LeadChoice.shape,
      via: Door.optional(),
      language: z.enum(LANGUAGES).optional(),
      sentAs: Id.optional(),
      begin: z.strictObject(beginning).optional(),
    }),
    /** `untrusted`: files of its folder that are left out of it because nobody has trusted them as they are. */
    z.object({ workflowId: Id, runId: Id, queued: z.boolean(), untrusted: z.array(z.string()).optional() }),
  ),
  ...historyMethods,
  'workflow.get': method(z.strictObject({ workflowId: Id }), WorkflowDetail),
  /**
   * `person` and `output` (its reader has gone: a closed pipe) cancel it. The others interrupt it, so that it can be
   * resumed: the program that waited for it got this signal, or could not write what it said. `withdrawQueued` also
   * cancels the messages of the conversation that wait for it.
   */
  'workflow.stop': method(
    z.strictObject({
      workflowId: Id,
      cause: z.enum(['person', 'output', 'SIGTERM', 'SIGHUP', 'unwritable']).default('person'),
      withdrawQueued: z.boolean().default(false),
    }),
    StopReceipt,
  ),
  /** Sends the requests of a running workflow that wait for their provider again at once; returns how many. */
  'workflow.try-now': method(z.strictObject({ workflowId: Id }), z.object({ requests: z.int().nonnegative() })),
  /** `approve` changes the policy from now on; left out, it stays. */
  'workflow.resume': method(z.strictObject({ workflowId: Id, approve: ApprovePolicy.optional() }), nothing),
  /** Raises the limits; continues the workflow if it ended because of them. */
  'workflow.extend': method(z.strictObject({ workflowId: Id, ...more }), nothing),
  /** Raises the limits of one run; returns its workflow. */
  'run.extend': method(z.strictObject({ runId: Id, ...more }), z.object({ workflowId: Id })),
  /** Continues a sub-agent that did not complete from its last finished step; the lead gets the new report. */
  'run.retry': method(z.strictObject({ runId: Id }), z.object({ workflowId: Id })),
  /**
   * The person says something to a sub-agent that works, or waits: it reads that before its next request to the model, and
   * its lead is told with its report. It starts nothing and answers no question. `conflict` where the run has ended, waits
   * for its own yes, is a lead or serves another run.
   */
  'run.say': method(
    z.strictObject({
      runId: Id,
      text: z
        .string()
        .max(10_000)
        .refine((text) => text.trim() !== '', 'is empty: write what it should know'),
    }),
    nothing,
  ),
  'memory.list': method(z.strictObject({ folder: z.string().max(4096).optional() }), z.array(MemoryNote)),
  'memory.delete': method(z.strictObject({ scope: z.string(), folder: z.string(), name: z.string() }), nothing),
  'run.get': method(z.strictObject({ runId: Id }), RunRow),
  'run.entries': method(z.strictObject({ runId: Id }), z.array(Entry)),
  'run.calls': method(z.strictObject({ runId: Id }), z.array(ToolCallRow)),
  'run.stop': method(z.strictObject({ runId: Id }), StopReceipt),
  /** Rules of a folder, grants in force there (without a folder: anywhere), and faults of the rule files. */
  'permissions.list': method(
    z.strictObject({ folder: z.string().min(1).max(4096).optional() }),
    z.object({
      mode: ApprovalMode,
      trusted: z.boolean(),
      rules: z.array(Rule),
      grants: z.array(Grant),
      /** Grants of a shared store that this installation has not signed. They allow nothing. */
      unsignedGrants: z.int(),
      faults: z.array(z.string()),
    }),
  ),
  /** Dry run: the verdict on a call and its reasons; nothing is asked, executed or counted. */
  'permissions.explain': method(
    z.strictObject({
      agent: z.string().min(1).max(200),
      tool: z.string().min(1).max(200),
      input: z.unknown(),
      folder: z.string().min(1).max(4096).optional(),
      /** As it would be there: with its lead, what was granted in it and, in a workflow, its agents as they were started. */
      conversationId: Id.optional(),
      workflowId: Id.optional(),
    }),
    Verdict,
  ),
  'permissions.revoke': method(z.strictObject({ grantId: Id }), Grant),
  ...ruleMethods,
  /** The first files of the folder that a grant would allow, at most 20. `agent`: as in the offer of a grant. */
  'permissions.match': method(
    z.strictObject({
      folder: z.string().min(1).max(4096),
      agent: z.string().min(1).max(300),
      tool: z.string().min(1).max(200),
      pattern: Pattern,
    }),
    z.object({ files: z.array(z.string()), more: z.boolean() }),
  ),
  'approval.decide': method(
    z.strictObject({ approvalId: Id, item: z.int().nonnegative().default(0), answer: Answer }),
    Decision,
  ),
  /** Recent decisions, newest first: of the 50 newest approvals that are not in the trash. */
  'approval.recent': method(nothing, z.array(Answered)),
  /** Asks the agent about an approval, which stays open with its clock paused; the reply comes as an event. */
  'approval.ask': method(
    z.strictObject({
      approvalId: Id,
      question: z
        .string()
        .max(10_000)
        .refine((question) => question.trim() !== '', 'is empty: write what you want to know'),
    }),
    nothing,
  ),
} as const;

type Methods = typeof methods;
export type MethodName = keyof Methods;
export type Input<M extends MethodName> = z.input<Methods[M]['input']>;
export type Parsed<M extends MethodName> = z.output<Methods[M]['input']>;
export type Output<M extends MethodName> = z.output<Methods[M]['output']>;

/** Streams: a conversation's events from now on, and the state of everything that wants attention. */
export const topics = {
  conversation: z.strictObject({ conversationId: Id }),
  /**
   * `canAnswer`: whether this client could answer questions. `isAttended`: whether a person sits at it, who could stop a
   * wait; left out, a client that can answer has a person.
   */
  attention: z.strictObject({ canAnswer: z.boolean(), isAttended: z.boolean().optional() }),
  /** Sent when agent files of a folder, or the trust in them, have changed: read them again. */
  agents: z.strictObject({ folder: folder.optional() }),
  /** Sent when something about the MCP servers of a folder has changed: list them again. */
  mcp: z.strictObject({ folder: folder.optional() }),
  /** What this client lends to a conversation; sent is what it is asked to do. */
  lent: Lent,
} as const;
export type TopicName = keyof typeof topics;
export type TopicInput<T extends TopicName> = z.input<(typeof topics)[T]>;
export interface TopicEvent {
  conversation: AgentEvent;
  attention: Attention;
  agents: { changed: true };
  mcp: { changed: true };
  lent: LentCall;
}

/** The client interface of a runtime, in this process or behind a bridge. */
export interface Client {
  /** Rejects with an Error that carries `code` of `ErrorInfo`. */
  request<M extends MethodName>(method: M, input: Input<M>): Promise<Output<M>>;
  /** Resolves once the subscription stands; the returned function ends it. */
  subscribe<T extends TopicName>(
    topic: T,
    input: TopicInput<T>,
    listener: (event: TopicEvent[T]) => void,
  ): Promise<() => void>;
}
