/** Keeps the Markdown folders of sessions up to date with the store: in the background, debounced, one at a time, newest first. */
import { join } from 'node:path';
import type { DurableEvent, EventDraft } from '#contract/event.ts';
import type { Missing } from '#contract/missing.ts';
import type { ConversationRow, RunRow } from '#contract/view.ts';
import { errorInfo, mustExist } from '#core/base/errors.ts';
import { redacted } from '#core/base/redact.ts';
import { SerialQueue } from '#core/base/serial-queue.ts';
import { loadWorkflowRecord, workflowIdsOf } from '../export/record.ts';
import { canonical, PROJECT_SESSIONS, SESSIONS } from '#core/settings/folders.ts';
import { keepsInProject, NO_PROJECT_SETTINGS, type ProjectSettings } from '#core/settings/project-config.ts';
import type { Settings } from '#core/settings/settings.ts';
import { checkConversation, checkWorkflows, type WorkflowRows } from '#core/store/check.ts';
import type { Store } from '#core/store/store.ts';
import { agentPage } from './agent-page.ts';
import { StaleSessions } from './stale-sessions.ts';
import { agentFileOf, folderNameOf, METADATA_FILE, SESSION_FILE } from './names.ts';
import {
  hasSession,
  removeSession,
  rootPath,
  type SessionFile,
  type SessionsRoot,
  writeSession,
} from './session-folder.ts';
import { sessionMetadata, sessionPage } from './session-page.ts';
import { type OwnRows, OwnWorkflows } from './own-rows.ts';
import { type WorkflowPart, workflowPart } from './workflow-part.ts';

export interface ProjectorPorts {
  store: Store;
  /** The data folder; null if nothing is kept on disk. */
  data: string | null;
  settings: Pick<Settings, 'sessions'>;
  /** What the trusted settings of a folder's project say; default: nothing. */
  readonly projectOf?: (folder: string) => Promise<ProjectSettings>;
  /** Of this program. */
  version: string;
  /** Called for the first failed write, and for the first one after a success. */
  onFailure(draft: EventDraft): void;
}

export interface Projected {
  folder: string;
  /** How many were written. */
  files: number;
  /** What the store should have of the session and has not: its files stay as they are. Left out if nothing is. */
  missing?: Missing[];
}

/** Debounce delay, in milliseconds: events within it become one projection. */
const GATHER_MS = 250;
/** Largest share of time spent on writing: the work of agents comes first. */
const SHARE = { working: 0.1, idle: 0.8 };
/** How long `close` waits for the files of the newest session, in milliseconds. */
const CLOSE_TIMEOUT_MS = 5000;
/** Sessions whose rendered parts are cached. */
const MAX_CACHED_SESSIONS = 4;

/** Events that change a session's files. */
const PROJECTED_EVENTS: ReadonlySet<string> = new Set<DurableEvent['type']>([
  ...([
    'workflow-start',
    'workflow-end',
    'run-queue',
    'run-start',
    'run-end',
    'change-undo',
    'workflow-fork',
    'compaction',
    'compaction-undo',
  ] as const),
]);

/** Those that may come after a workflow has ended, and do not make it work again. */
const OF_ENDED_TOO: ReadonlySet<string> = new Set<DurableEvent['type']>([
  ...(['change-undo', 'workflow-fork', 'compaction', 'compaction-undo'] as const),
]);

/** Ids of the newest event; the notice of a failure carries them. */
type EventIds = Pick<DurableEvent, 'conversationId' | 'workflowId' | 'runId' | 'parentRunId' | 'agent'>;

interface PendingSession {
  /** Null for a session that an earlier process left stale. */
  newest: EventIds | null;
  workflows: Set<string>;
}

/** What is written of one workflow. */
interface Rendered {
  /** The files of its sub-agents. */
  pages: SessionFile[];
  part: WorkflowPart;
}

/** What is to be written of a session. */
interface ReadSession {
  /** Of its workflows, oldest first. */
  ids: readonly string[];
  /** Those that are not cached; null where the check could not list their rows. */
  fresh: ReadonlyMap<string, Rendered | null>;
  missing: Missing[];
}

/** The form of a session's pages. */
interface PageForm {
  /** Name of the session's folder. */
  folder: string;
  /** Links to notes resolve, because the folder is in the project. */
  linksNotes: boolean;
}

const NOTHING: ReadSession = { ids: [], fresh: new Map(), missing: [] };

export class SessionProjector {
  readonly #ports: ProjectorPorts;
  /** The one that changed last comes last, and is written first. */
  readonly #pending = new Map<string, PendingSession>();
  /** Workflows that run. */
  readonly #working = new Set<string>();
  /** Workflows of which this program stored every event, until their files are complete. */
  readonly #own = new Set<string>();
  readonly #ownWorkflows = new OwnWorkflows();
  /** Null if nothing is kept on disk. */
  readonly #stale: StaleSessions | null;
  /** Rendered parts by conversation and workflow, least recently used first. */
  readonly #parts = new Map<string, Map<string, WorkflowPart>>();
  readonly #queue = new SerialQueue();
  #timer: NodeJS.Timeout | null = null;
  #closed = false;
  #failing = false;

  constructor(ports: ProjectorPorts) {
    this.#ports = ports;
    this.#stale = ports.data === null ? null : new StaleSessions(ports.data);
  }

  /** Takes every stored event and schedules the session that it changes. */
  observe(event: DurableEvent): void {
    const { type, conversationId, workflowId, runId, parentRunId, agent } = event;
    if (this.#stale === null) return;
    this.#ownWorkflows.observe(event);
    if (!PROJECTED_EVENTS.has(type)) return;
    if (event.type === 'workflow-start' && event.attempt === 1) this.#own.add(workflowId);
    if (type === 'workflow-end') this.#working.delete(workflowId);
    // What a person takes back, or has summarised, may be of a workflow that has ended.
    else if (!OF_ENDED_TOO.has(type)) this.#working.add(workflowId);
    const pending = this.#pending.get(conversationId) ?? { newest: null, workflows: new Set() };
    pending.newest = { conversationId, workflowId, runId, parentRunId, agent };
    pending.workflows.add(workflowId);
    this.#pending.delete(conversationId);
    this.#pending.set(conversationId, pending);
    this.#stale.mark(conversationId);
    this.#wait(GATHER_MS);
  }

  /** Schedules the session, whose title has changed. */
  renamed(conversationId: string): void {
    if (this.#stale === null) return;
    const pending = this.#pending.get(conversationId) ?? { newest: null, workflows: new Set() };
    this.#pending.set(conversationId, pending);
    this.#stale.mark(conversationId);
    this.#wait(GATHER_MS);
  }

  /** Schedules the sessions that earlier processes left stale; does not wait for their files. */
  async catchUp(): Promise<void> {
    const live = [...this.#pending];
    const left = (await this.#stale?.load()) ?? [];
    this.#pending.clear();
    // Ids sort by the time at which a session began.
    for (const id of left.sort()) this.#pending.set(id, { newest: null, workflows: new Set() });
    for (const [id, pending] of live) {
      this.#pending.delete(id);
      this.#pending.set(id, pending);
    }
    if (this.#pending.size > 0) this.#wait(GATHER_MS);
  }

  /** Where the files of a session lie, or will once it has been written; null where nothing is kept on disk. */
  async folderOf(conversation: ConversationRow): Promise<string | null> {
    if (this.#ports.data === null) return null;
    const [root] = await this.#rootsOf(conversation);
    return join(rootPath(root), folderNameOf(conversation));
  }

  /** Writes the whole folder again; resolves when it is written. Rejects with `not_found` for an unknown conversation. */
  rebuild(conversationId: string): Promise<Projected> {
    return this.#queue.add(async () => {
      this.#parts.delete(conversationId);
      this.#pending.delete(conversationId);
      const missing = `There is no conversation ${conversationId}`;
      return this.#project(await mustExist(this.#ports.store.conversation(conversationId), missing));
    });
  }

  /** Updates the files after the conversation was trashed or restored, or before it is purged; resolves when done. */
  async moved(conversationId: string): Promise<void> {
    if (this.#ports.data !== null) await this.rebuild(conversationId);
  }

  /**
   * Writes the session that changed last, for whoever looks at it next; resolves when done, or after `CLOSE_TIMEOUT_MS`.
   * The others are marked, and the next process writes them.
   */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer ?? undefined);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_TIMEOUT_MS)));
    const last = async (): Promise<void> => {
      const newest = [...this.#pending.values()].at(-1)?.newest;
      if (newest) await this.#queue.add(() => this.#next());
      await this.#queue.settled();
      await this.#stale?.settled();
    };
    await Promise.race([last(), patience]);
    clearTimeout(timer);
  }

  #wait(ms: number): void {
    if (this.#timer || this.#closed) return;
    this.#timer = setTimeout(() => {
      void this.#queue.add(async () => {
        const start = performance.now();
        await this.#next();
        const took = performance.now() - start;
        this.#timer = null;
        const share = this.#working.size > 0 ? SHARE.working : SHARE.idle;
        if (this.#pending.size > 0) this.#wait(took * (1 / share - 1));
      });
    }, ms).unref();
  }

  /** Projects the session that changed last. */
  async #next(): Promise<void> {
    const id = [...this.#pending.keys()].at(-1);
    const pending = this.#pending.get(id ?? '');
    if (id === undefined || !pending) return;
    this.#pending.delete(id);
    try {
      for (const workflow of pending.workflows) this.#parts.get(id)?.delete(workflow);
      const conversation = await this.#ports.store.conversation(id);
      if (conversation) await this.#project(conversation, pending.workflows);
      else this.#stale?.clear(id);
      this.#failing = false;
    } catch (error) {
      // The cached parts may not have been written: start from scratch next time.
      this.#parts.delete(id);
      if (this.#failing) return;
      this.#failing = true;
      if (pending.newest) this.#ports.onFailure(noticeOf(pending.newest, error));
    }
  }

  /**
   * Brings the files to the state of the store: written, or removed if the conversation is in the trash. `changed`:
   * workflows with events since the last projection; left out if that is not known.
   */
  async #project(conversation: ConversationRow, changed?: ReadonlySet<string>): Promise<Projected> {
    const name = folderNameOf(conversation);
    const [root, other] = await this.#rootsOf(conversation);
    const folder = `${rootPath(root)}/${name}`;
    const form = { folder: name, linksNotes: root.folder === PROJECT_SESSIONS };
    const { ids, fresh, missing } = conversation.deletedAt ? NOTHING : await this.#read(conversation, form, changed);
    // What was written when all was there says more than what could be written now.
    if (missing.length > 0 && (await hasSession(root, name))) return { folder, files: 0, missing };
    let files = 0;
    if (ids.length > 0)
      files = await writeSession(root, name, this.#filesOf(conversation, { ids, fresh, missing }, form));
    else await removeSession(root, name);
    if ((await hasSession(other, name)) && !(await isSame(root, other))) await removeSession(other, name);
    this.#keepMark(conversation.id);
    return { folder, files, ...(missing.length > 0 ? { missing } : {}) };
  }

  /**
   * Reads the workflows that this program has not written yet, each once. Those that others stored are checked, as is the
   * whole conversation before its first files.
   */
  async #read(
    { id, lastSeq }: ConversationRow,
    form: PageForm,
    changed: ReadonlySet<string> | undefined,
  ): Promise<ReadSession> {
    const { store } = this.#ports;
    const fresh = new Map<string, Rendered | null>();
    const take = (workflowId: string, rows: WorkflowRows | null) =>
      void fresh.set(workflowId, rows && renderedOf(redacted(rows), form));
    // After a change of the setting all pages are written in the other form.
    if (
      this.#parts
        .get(id)
        ?.values()
        .some((part) => part.linksNotes !== form.linksNotes)
    )
      this.#parts.delete(id);
    const known = this.#parts.get(id);
    const hasOwn = known !== undefined || changed?.values().some((one) => this.#own.has(one));
    if (!changed || !hasOwn) return this.#check(id, fresh, take);
    const ids = known ? [...new Set([...known.keys(), ...changed])].sort() : await workflowIdsOf(store, id);
    const unchecked: string[] = [];
    for (const workflowId of ids) {
      if (known?.has(workflowId)) continue;
      const own = this.#ownWorkflows.get(workflowId);
      const rows = this.#own.has(workflowId) ? await readOwnRows(store, workflowId, own) : null;
      if (rows) take(workflowId, rows);
      else unchecked.push(workflowId);
    }
    if (ids.length === 0 ? lastSeq > 0 : !known && unchecked.length > 0) return this.#check(id, fresh, take);
    const { missing } = await checkWorkflows(store, unchecked, take);
    return { ids, fresh, missing };
  }

  async #check(
    id: string,
    fresh: Map<string, Rendered | null>,
    take: (workflowId: string, rows: WorkflowRows | null) => void,
  ): Promise<ReadSession> {
    const { store } = this.#ports;
    const { missing } = await checkConversation(store, id, take);
    // None: there is none, or the list of them cannot be read, which the check passes over.
    const ids = fresh.size > 0 ? [...fresh.keys()].sort() : await workflowIdsOf(store, id);
    return { ids, fresh, missing };
  }

  /** Files of sub-agents first, so that no link is broken meanwhile. */
  async *#filesOf(
    conversation: ConversationRow,
    { ids, fresh, missing }: ReadSession,
    form: PageForm,
  ): AsyncGenerator<SessionFile> {
    const { id } = conversation;
    const known = this.#parts.get(id) ?? new Map<string, WorkflowPart>();
    const parts = new Map<string, WorkflowPart>();
    for (const workflowId of ids) {
      const part = known.get(workflowId);
      if (part) parts.set(workflowId, part);
      else {
        const rendered = fresh.get(workflowId) ?? (await this.#renderedAgain(workflowId, form));
        if (!rendered) continue;
        yield* rendered.pages;
        parts.set(workflowId, rendered.part);
      }
    }
    const all = [...parts.values()];
    const shown = redacted(conversation);
    yield { name: SESSION_FILE, text: sessionPage(shown, all, missing) };
    yield { name: METADATA_FILE, text: sessionMetadata(shown, all, this.#ports.version) };
    this.#keep(id, parts);
  }

  /** One whose rows the check could not list; null if it was deleted. */
  async #renderedAgain(workflowId: string, form: PageForm): Promise<Rendered | null> {
    const record = await loadWorkflowRecord(this.#ports.store, workflowId);
    return record && renderedOf(redacted(record), form);
  }

  /** Keeps the stale mark while a workflow runs: more events will follow, and the process may be killed before them. */
  #keepMark(id: string): void {
    const parts = [...(this.#parts.get(id)?.values() ?? [])];
    for (const { id: workflowId, outcome } of parts) {
      if (outcome === null) continue;
      this.#own.delete(workflowId);
      this.#ownWorkflows.delete(workflowId);
    }
    if (!this.#pending.has(id) && parts.every(({ outcome }) => outcome !== null)) this.#stale?.clear(id);
  }

  #keep(id: string, parts: Map<string, WorkflowPart>): void {
    this.#parts.delete(id);
    this.#parts.set(id, parts);
    const [oldest] = this.#parts.keys();
    if (this.#parts.size > MAX_CACHED_SESSIONS && oldest !== undefined) this.#parts.delete(oldest);
  }

  /** The root for the session's folder, and the other one, from which it is removed so that no old copy stays. */
  async #rootsOf({ folder }: ConversationRow): Promise<[SessionsRoot, SessionsRoot]> {
    const inData = { base: this.#ports.data ?? '', folder: SESSIONS };
    const inProject = { base: folder, folder: PROJECT_SESSIONS };
    const { settings, projectOf } = this.#ports;
    const project = (await projectOf?.(folder)) ?? NO_PROJECT_SETTINGS;
    return keepsInProject(settings.sessions, project) ? [inProject, inData] : [inData, inProject];
  }
}

function renderedOf(rows: WorkflowRows, { folder, linksNotes }: PageForm): Rendered {
  const children = rows.runs.filter(({ kind }) => kind !== 'lead');
  const pages = children.map((run) => ({ name: agentFileOf(run), text: agentPage(run, rows, folder) }));
  return { pages, part: workflowPart(rows, folder, linksNotes) };
}

/** `own`: its rows in memory. Returns null for a workflow of which an entry is missing: it is checked. */
async function readOwnRows(store: Store, workflowId: string, own: OwnRows | undefined): Promise<WorkflowRows | null> {
  const [workflow, runs, approvals] = await Promise.all([
    store.workflow(workflowId),
    own ? readEach(own.runs, (id) => store.run(id)) : store.runsOf([workflowId]),
    own ? readEach(own.approvals, (id) => store.approval(id)) : store.approvalsOf([workflowId]),
  ]);
  const isMissing = runs.length < (own?.runs.size ?? 0) || approvals.length < (own?.approvals.size ?? 0);
  if (!workflow || isMissing) return null;
  const { entries, calls } = own ?? (await store.recordsOf(runs, ['entries', 'calls']));
  const hasAll = (run: RunRow): boolean => {
    const ownEntries = entries.get(run.id) ?? [];
    const isComplete = run.outcome === null || ownEntries.length >= (run.entries ?? 0);
    return isComplete && ownEntries.every(({ n }, at) => n === at);
  };
  return runs.some(({ id }) => id === workflow.runId) && runs.every(hasAll)
    ? { workflow, runs, calls, approvals, entries }
    : null;
}

/** Reads rows that the store has in memory, in the order of their ids. */
async function readEach<T>(ids: ReadonlySet<string>, read: (id: string) => Promise<T | null>): Promise<T[]> {
  const rows = await Promise.all([...ids].sort().map(read));
  return rows.filter((row) => row !== null);
}

/** They are one where the data folder is the project's own `.triad`. */
async function isSame(...roots: [SessionsRoot, SessionsRoot]): Promise<boolean> {
  const [one, other] = await Promise.all(roots.map((root) => canonical(rootPath(root))));
  return one === other;
}

function noticeOf(newest: EventIds, error: unknown): EventDraft {
  const { conversationId } = newest;
  const text = `The Markdown files of this session could not be written (${errorInfo(error).message}). Its history is complete. Once this is put right: triad sessions project ${conversationId}`;
  return {
    type: 'notice',
    level: 'warning',
    text,
    at: new Date().toISOString(),
    ...newest,
  };
}
