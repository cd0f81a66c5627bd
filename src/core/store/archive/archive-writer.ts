/**
 * Appends to the archive in the background: the events of a conversation when no workflow runs in it, its row after a
 * change by the person, and rows without a conversation.
 */
import { cp, rename } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import type { ArchiveCheck } from '#contract/history/archive-methods.ts';
import type { DurableEvent } from '#contract/event.ts';
import type { Grant } from '#contract/permission.ts';
import type { RowKey } from '#contract/rows.ts';
import type { MemoryNote } from '#contract/view.ts';
import { memoryKey } from '#domain/memory-key.ts';
import { errorInfo } from '../../base/errors.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import { stamp } from '../backups/backups.ts';
import { findDiskFull } from '../disk-space.ts';
import { isOfOneRun } from '../memory.ts';
import type { ArchiveReads, CommitItem } from '../store.ts';
import type { ArchivedStore } from './archived-store.ts';
import { appendMember, makeArchiveFolder, readEnd } from './archive-file.ts';
import { conversationFile, deleteConversationFiles, listArchivedConversations, rowsFile } from './archive-folder.ts';
import { type ArchivedRow, MemberLines, rowLine, type StoredEvents } from './archive-lines.ts';
import { type ArchiveMark, ArchiveMarks } from './archive-marks.ts';
import { compareArchive } from './compare-archive.ts';
import { EventBuffer } from './event-buffer.ts';
import { encodeMember } from './gzip-member.ts';
import { RowsFile } from './rows-file.ts';

/** Delay after a change, in milliseconds, so that one append has several changes. */
const GATHER_MS = 500;
/** Maximum share of time for the archive: the work of agents comes first. */
const SHARE = 0.1;
/** Delay after a failure, in milliseconds. */
const RETRY_MS = 30_000;
/** Maximum time for appends in `close`, in milliseconds; the next start appends the rest. */
const CLOSE_MS = 1000;
/** Conversations that are compared with their files at a start. */
const NEWEST = 20;
/** Events read at once. */
const STEP = 200;
/** Characters at which a member is full. */
const MEMBER_CHARS = 1024 * 1024;
/** Maximum number of cached file ends. */
const MAX_ENDS = 256;

/** Length and last lines of a conversation's file. */
interface FileEnd {
  bytes: number;
  lastSeq: number;
  /** JSON of the last event; null if the last member has no event. */
  lastEvent: string | null;
  rowLine: string | null;
}

const NO_FILE: FileEnd = { bytes: 0, lastSeq: 0, lastEvent: null, rowLine: null };

export class ArchiveWriter implements ArchiveReads {
  readonly #folder: string;
  readonly #store: ArchivedStore;
  readonly #warn: (line: string) => void;
  readonly #onOutdated: () => Promise<boolean>;
  readonly #marks: ArchiveMarks;
  readonly #rows: RowsFile;
  readonly #buffer = new EventBuffer();
  readonly #queue = new SerialQueue();
  /** Ids of running workflows, by conversation. */
  readonly #working = new Map<string, Set<string>>();
  /** Least recently used first. */
  readonly #ends = new Map<string, FileEnd>();
  #timer: NodeJS.Timeout | null = null;
  #isCaughtUp = false;
  #isFailing = false;
  #isClosed = false;

  /**
   * `warn` gets a line for the person when writing fails, once until it succeeds again. `onOutdated` is called if the
   * archive has events that the store lacks, and resolves with whether the store was completed.
   */
  constructor(folder: string, store: ArchivedStore, warn: (line: string) => void, onOutdated: () => Promise<boolean>) {
    this.#folder = folder;
    this.#store = store;
    this.#warn = warn;
    this.#onOutdated = onOutdated;
    this.#marks = new ArchiveMarks(folder);
    this.#rows = new RowsFile(rowsFile(folder), async () => this.#readMarked(await this.#storedMarks()));
  }

  /** Schedules what a previous process did not archive. Call after the start of the store. */
  start(): void {
    this.#wait(GATHER_MS);
  }

  /** Buffers the events of a commit and schedules its changes. */
  observe(items: readonly CommitItem[]): void {
    for (const item of items) if ('event' in item) this.#buffer.add(item.event);
    const marks = items.flatMap((item) => ('event' in item ? this.#marksForEvent(item.event) : marksForRow(item)));
    for (const mark of marks) this.#marks.add(mark);
    if (marks.length > 0) this.#wait(GATHER_MS);
  }

  /** Schedules a conversation whose row has changed. */
  changed(conversationId: string): void {
    this.#marks.add({ conversation: conversationId });
    this.#wait(GATHER_MS);
  }

  /**
   * Deletes the files of a conversation in the trash, and older versions of all notes and grants, before `purge` deletes
   * it in the store.
   */
  purge(conversationId: string, purge: () => Promise<boolean>): Promise<boolean> {
    return this.#queue.add(async () => {
      const row = await this.#store.row('conversation', conversationId);
      // Only a conversation in the trash is purged.
      if (!row?.deletedAt) return purge();
      this.#ends.delete(conversationId);
      this.#buffer.drop(conversationId);
      // Written again at the next start, if the purge fails.
      this.#marks.add({ conversation: conversationId });
      await deleteConversationFiles(this.#folder, conversationId);
      await this.#rows.compact({ keepsDeletions: false });
      return purge();
    });
  }

  /** Resolves when all scheduled changes are archived. Rejects if a file cannot be written. */
  async settled(): Promise<void> {
    while (!this.#isClosed && (await this.#queue.add(() => this.#next()))) await turn();
  }

  /** Archives all scheduled changes if possible, then runs `work` without concurrent appends. */
  async still<T>(work: (folder: string) => Promise<T>): Promise<T> {
    await this.settled().catch(() => undefined);
    return this.#queue.add(() => work(this.#folder));
  }

  /** Copies the archive with all scheduled changes. */
  copyTo(target: string): Promise<void> {
    return this.still(async (folder) => {
      await makeArchiveFolder(folder);
      await cp(folder, target, { recursive: true, preserveTimestamps: true });
    });
  }

  conversations(): Promise<string[]> {
    return listArchivedConversations(this.#folder);
  }

  check(conversationId: string): Promise<ArchiveCheck> {
    return this.still((folder) =>
      compareArchive(folder, this.#store, conversationId, this.#working.has(conversationId)),
    );
  }

  /** Archives the changes of this process, in bounded time. */
  async close(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    // The marks of a previous process stay for the next one.
    this.#isCaughtUp = true;
    const end = performance.now() + CLOSE_MS;
    try {
      while (performance.now() < end && (await this.#queue.add(() => this.#next())));
    } catch {
      // The change is still marked for the next start.
    }
    this.#isClosed = true;
    await this.#queue.settled();
  }

  #marksForEvent(event: DurableEvent): ArchiveMark[] {
    const { conversationId, workflowId, type } = event;
    const working = this.#working.get(conversationId) ?? new Set();
    if (type === 'workflow-start') this.#working.set(conversationId, working.add(workflowId));
    if (type === 'workflow-end') working.delete(workflowId);
    if (working.size === 0) this.#working.delete(conversationId);
    const marks: ArchiveMark[] = marksForRows(event);
    // An event may also come after the end of its workflow.
    if (type === 'workflow-end' || working.size === 0) marks.push({ conversation: conversationId });
    return marks;
  }

  #wait(ms: number): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      void this.#queue.add(async () => {
        const start = performance.now();
        const more = await this.#next().catch(() => null);
        const took = performance.now() - start;
        this.#timer = null;
        if (more === null) this.#wait(RETRY_MS);
        else if (more) this.#wait(took * (1 / SHARE - 1));
      });
    }, ms).unref();
  }

  /** Archives one conversation, or all marked rows. Returns whether marks are left. */
  async #next(): Promise<boolean> {
    let marks: ArchiveMark[] = [];
    try {
      if (!this.#isCaughtUp) await this.#catchUp();
      marks = this.#marks.take();
      if (marks.length === 0) return false;
      const full = findDiskFull(this.#folder);
      if (full) throw full;
      await makeArchiveFolder(this.#folder);
      const [{ conversation } = {}] = marks;
      if (conversation === undefined) await this.#appendRows(marks);
      else await this.#appendConversation(conversation);
      this.#marks.settle();
      this.#isFailing = false;
      return this.#marks.size > 0;
    } catch (error) {
      for (const mark of marks) this.#marks.add(mark);
      this.#fail(error, marks);
      throw error;
    }
  }

  #fail(error: unknown, marks: readonly ArchiveMark[]): void {
    for (const { conversation } of marks) if (conversation !== undefined) this.#ends.delete(conversation);
    const { code, message } = errorInfo(error);
    // The store closes: the next start archives the rest.
    if (this.#isFailing || code === 'interrupted') return;
    this.#isFailing = true;
    this.#warn(
      `The archive in ${this.#folder} cannot be written (${message}). The history in the store is complete; writing is tried again.`,
    );
  }

  /** Adds the marks of a previous process, and marks conversations and rows without a file. */
  async #catchUp(): Promise<void> {
    this.#marks.load();
    const archived = new Set(await listArchivedConversations(this.#folder));
    const stored = new Set(await this.#store.conversationIds());
    for (const id of stored.difference(archived)) this.#marks.add({ conversation: id });
    if (archived.difference(stored).size > 0) await this.#onOutdated();
    // Marks are not synced: a loss of power takes the newest ones.
    const { items: newest } = await this.#store.conversations({ limit: NEWEST });
    for (const { id } of newest) if (!this.#working.has(id)) this.#marks.add({ conversation: id });
    if (!(await this.#rows.exists())) for (const mark of await this.#storedMarks()) this.#marks.add(mark);
    this.#isCaughtUp = true;
  }

  /** Marks for all notes and grants of the store. */
  async #storedMarks(): Promise<ArchiveMark[]> {
    return [...(await this.#store.notes()).map(markForNote), ...(await this.#store.grants()).map(markForGrant)];
  }

  async #appendRows(marks: readonly ArchiveMark[]): Promise<void> {
    await this.#rows.append(await this.#readMarked(marks));
  }

  async #readMarked(marks: readonly ArchiveMark[]): Promise<ArchivedRow[]> {
    const rows: ArchivedRow[] = [];
    for (const mark of marks) {
      if (mark.table === undefined) continue;
      const { table, key } = mark;
      rows.push({ table, key, row: await this.#store.row(table, key) });
    }
    return rows;
  }

  /** Appends the events after the last archived event, and the row if it has changed since. */
  async #appendConversation(id: string): Promise<void> {
    const row = await this.#store.row('conversation', id);
    if (row === null) return this.#buffer.drop(id);
    let end = this.#ends.get(id) ?? (await this.#openFile(id));
    if (end === null) return;
    let lines = new MemberLines();
    const line = rowLine({ table: 'conversation', key: id, row });
    // The row comes first: a restore creates the conversation from it.
    if (line !== end.rowLine) lines.addRow({ table: 'conversation', key: id, row });
    for await (const { events, envelopes } of this.#eventsAfter(id, end.lastSeq)) {
      for (const event of events) {
        lines.addEvent(event, envelopes);
        if (lines.text.length < MEMBER_CHARS) continue;
        end = await this.#append(id, end, lines);
        lines = new MemberLines();
      }
    }
    if (lines.text !== '') end = await this.#append(id, end, lines);
    this.#remember(id, { ...end, rowLine: line });
  }

  /** Reads the events from the buffer, or else from the store. */
  async *#eventsAfter(id: string, after: number): AsyncGenerator<StoredEvents> {
    const buffered = this.#buffer.take(id, after);
    if (buffered) {
      yield buffered;
      return;
    }
    const last = await this.#store.lastSeq(id);
    for (let from = after + 1; from <= last; from += STEP)
      yield await this.#store.storedEvents(id, from, Math.min(last, from + STEP - 1));
  }

  async #append(id: string, end: FileEnd, lines: MemberLines): Promise<FileEnd> {
    const member = await encodeMember(lines.text, lines.range);
    await appendMember(conversationFile(this.#folder, id), end, member);
    return {
      ...end,
      bytes: end.bytes + member.length,
      lastSeq: Math.max(end.lastSeq, lines.range.to),
      lastEvent: lines.lastEvent ?? end.lastEvent,
    };
  }

  /**
   * Returns the end of the file. The file belongs to another history, for instance after a restored backup, if its last
   * event is of another conversation, or if the store has another event with this number: it is set aside. If the store
   * has no event with this number, the store is older, and is completed from the archive. If that fails, nothing is
   * appended, and the result is null.
   */
  async #openFile(id: string): Promise<FileEnd | null> {
    const path = conversationFile(this.#folder, id);
    const end = await readFileEnd(path);
    if (end.lastEvent === null) return end;
    const { conversationId } = JSON.parse(end.lastEvent) as Pick<DurableEvent, 'conversationId'>;
    if (conversationId === id) {
      const { events } = await this.#store.storedEvents(id, end.lastSeq, end.lastSeq);
      if (events.length === 0) return (await this.#onOutdated()) ? this.#openFile(id) : null;
      if (events.every(({ text }) => text === end.lastEvent)) return end;
    }
    await rename(path, `${path}.set-aside-${stamp()}`);
    return NO_FILE;
  }

  #remember(id: string, end: FileEnd): void {
    this.#ends.delete(id);
    this.#ends.set(id, end);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > MAX_ENDS && oldest !== undefined) this.#ends.delete(oldest);
  }
}

async function readFileEnd(path: string): Promise<FileEnd> {
  const { bytes, lastSeq, text } = await readEnd(path);
  const lines = text?.split('\n') ?? [];
  const event = lines.findLast((line) => line.startsWith(EVENT));
  const row = lines.findLast((line) => line.startsWith(ROW));
  return {
    bytes,
    lastSeq,
    lastEvent: event === undefined ? null : event.slice(EVENT.length, -1),
    rowLine: row === undefined ? null : `${row}\n`,
  };
}

const EVENT = '{"event":';
const ROW = '{"row":';

/** Marks for rows without a conversation that an event changes. */
function marksForRows(event: DurableEvent): ArchiveMark[] {
  if (event.type === 'grant-change') return [markForGrant(event.grant)];
  if (event.type !== 'memory-change') return [];
  return marksForKey('memory', memoryKey(event.scope, event.folder, event.name));
}

/** Marks for a change without an event: the person renames a conversation, or a purge deletes its notes and grants. */
function marksForRow({ table, key }: Exclude<CommitItem, { event: DurableEvent }>): ArchiveMark[] {
  if (table === 'memory' || table === 'permission_grant') return marksForKey(table, key);
  return table === 'conversation' ? [{ conversation: String(key) }] : [];
}

function marksForKey(table: 'memory' | 'permission_grant', key: RowKey): ArchiveMark[] {
  // Notes of one run follow from the events of its conversation.
  return table === 'memory' && isOfOneRun(key) ? [] : [{ table, key }];
}

const markForNote = ({ scope, folder, name }: MemoryNote): ArchiveMark => ({
  table: 'memory',
  key: memoryKey(scope, folder, name),
});

const markForGrant = ({ id }: Grant): ArchiveMark => ({ table: 'permission_grant', key: id });
