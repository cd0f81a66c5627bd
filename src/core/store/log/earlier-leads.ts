/** Caches the messages of the leads of earlier workflows while a conversation is in use. */
import type { AgentEvent } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { SerialQueue } from '#core/base/serial-queue.ts';
import type { Store } from '../store.ts';
import type { Earlier } from './told.ts';
import { Transcript } from './transcript.ts';

type EntryReads = Pick<Store, 'entriesOf' | 'run'>;
type HistoryReads = EntryReads & Pick<Store, 'workflows' | 'workflow' | 'runsOf' | 'recordsOf'>;

/** An earlier workflow with the messages of its lead. */
export interface EarlierWorkflow {
  readonly row: WorkflowRow;
  readonly lead: Earlier;
}

/** `lead`: null before its first use. `chars`: size of its entries, in characters. */
interface CachedWorkflow {
  row: WorkflowRow;
  lead: Earlier | null;
  chars: number;
}

interface CachedConversation {
  /** By workflow id, oldest first; null before the first load. */
  workflows: Map<string, CachedWorkflow> | null;
  /** Size of all its entries, in characters. */
  chars: number;
  /** Ids of workflows that have events after their last read. */
  readonly changed: Set<string>;
  /** Runs one load at a time. */
  readonly loads: SerialQueue;
}

/** Maximum number of cached conversations. */
const MAX_CONVERSATIONS = 8;
/** Maximum size of all cached entries, in characters. The conversation that was used last stays in any case. */
const MAX_CHARS = 16_000_000;

/** A message reads the workflows that changed since the last message; all others are in memory. */
export class EarlierLeads {
  readonly #store: HistoryReads;
  /** Least recently used first. */
  readonly #conversations = new Map<string, CachedConversation>();

  constructor(store: HistoryReads) {
    this.#store = store;
  }

  /** Call with each stored event: its workflow is read again at the next load. */
  onEvent(event: AgentEvent): void {
    if ('seq' in event) this.#conversations.get(event.conversationId)?.changed.add(event.workflowId);
  }

  /** Drops a deleted conversation. */
  forget(conversationId: string): void {
    this.#conversations.delete(conversationId);
  }

  /** Returns the workflows of a conversation before `workflowId`, oldest first. */
  load(conversationId: string, workflowId: string): Promise<EarlierWorkflow[]> {
    const conversation = this.#use(conversationId);
    return conversation.loads.add(async () => {
      const workflows = await this.#refresh(conversationId, conversation);
      const earlier: CachedWorkflow[] = [];
      const unread: CachedWorkflow[] = [];
      for (const one of workflows.values()) {
        if (one.row.id >= workflowId) continue;
        earlier.push(one);
        if (one.lead === null) unread.push(one);
      }
      await this.#loadLeads(conversation, unread);
      this.#drop();
      return earlier.filter(hasLead);
    });
  }

  #use(conversationId: string): CachedConversation {
    const conversation = this.#conversations.get(conversationId) ?? {
      workflows: null,
      chars: 0,
      changed: new Set(),
      loads: new SerialQueue(),
    };
    this.#conversations.delete(conversationId);
    this.#conversations.set(conversationId, conversation);
    return conversation;
  }

  /** Reads the rows of all workflows, later of those that changed. An event during the read marks its workflow again. */
  async #refresh(conversationId: string, conversation: CachedConversation): Promise<Map<string, CachedWorkflow>> {
    const { changed } = conversation;
    const ids = [...changed].sort();
    changed.clear();
    try {
      if (conversation.workflows === null) {
        const all = await loadWorkflows(this.#store, conversationId);
        conversation.workflows = new Map(all.map((row) => [row.id, { row, lead: null, chars: 0 }]));
        return conversation.workflows;
      }
      const rows = await Promise.all(ids.map((id) => this.#store.workflow(id)));
      for (const [at, id] of ids.entries()) {
        const row = rows[at];
        conversation.chars -= conversation.workflows.get(id)?.chars ?? 0;
        if (row) conversation.workflows.set(id, { row, lead: null, chars: 0 });
        else conversation.workflows.delete(id);
      }
      return conversation.workflows;
    } catch (error) {
      for (const id of ids) changed.add(id);
      throw error;
    }
  }

  async #loadLeads(conversation: CachedConversation, workflows: readonly CachedWorkflow[]): Promise<void> {
    for (let from = 0; from < workflows.length; from += LEADS) {
      const some = workflows.slice(from, from + LEADS);
      const entries = await loadEntriesOfLeads(
        this.#store,
        some.map(({ row }) => row),
      );
      for (const [at, cached] of some.entries()) {
        const own = entries[at] ?? [];
        cached.lead = { runId: cached.row.runId, history: new Transcript(own) };
        cached.chars = countChars(own);
        conversation.chars += cached.chars;
      }
    }
  }

  #drop(): void {
    const conversations = [...this.#conversations];
    let total = conversations.reduce((sum, [, { chars }]) => sum + chars, 0);
    for (const [id, { chars }] of conversations.slice(0, -1)) {
      if (this.#conversations.size <= MAX_CONVERSATIONS && total <= MAX_CHARS) return;
      this.#conversations.delete(id);
      total -= chars;
    }
  }
}

/** Workflows of one page. */
const PAGE = 200;

/** Returns all workflows of a conversation, oldest first. */
export async function loadWorkflows(store: Pick<Store, 'workflows'>, conversationId: string): Promise<WorkflowRow[]> {
  const rows: WorkflowRow[] = [];
  let before: string | null | undefined;
  while (before !== null) {
    const page = await store.workflows({ conversationId, limit: PAGE, before });
    rows.push(...page.items);
    before = page.next;
  }
  return rows.reverse();
}

/** Leads whose entries are read at once: one statement for many takes the engine less time than one for each. */
const LEADS = 50;

function hasLead(cached: CachedWorkflow): cached is CachedWorkflow & EarlierWorkflow {
  return cached.lead !== null;
}

/** Returns the entries of each of these leads, as `loadPriorEntries` does. */
async function loadEntriesOfLeads(store: HistoryReads, rows: readonly WorkflowRow[]): Promise<Entry[][]> {
  if (rows.length <= 1) return Promise.all(rows.map((row) => loadPriorEntries(store, row)));
  const leads = new Set(rows.map(({ runId }) => runId));
  const runs = (await store.runsOf(rows.map(({ id }) => id))).filter(({ id }) => leads.has(id));
  const { entries } = await store.recordsOf(runs, ['entries']);
  const byId = new Map(runs.map((run) => [run.id, run]));
  return Promise.all(
    rows.map(async (row) => {
      const run = byId.get(row.runId);
      // The list lacks runs that cannot be read.
      return run ? withStages(entries.get(run.id) ?? [], row, run) : loadPriorEntries(store, row);
    }),
  );
}

/** Returns the entries of an earlier lead and the result of its stages, which the person has read. */
export async function loadPriorEntries(store: EntryReads, row: WorkflowRow): Promise<Entry[]> {
  const [entries, run] = await Promise.all([store.entriesOf(row.runId), store.run(row.runId)]);
  return withStages(entries, row, run);
}

function withStages(entries: Entry[], { text, createdAt, endedAt }: WorkflowRow, run: RunRow | null): Entry[] {
  const stages = run?.outcome === 'completed' ? run.envelope.stages : [];
  if (stages.length === 0 || text === '') return entries;
  const names = stages.map(({ agent }) => agent).join(', then to ');
  const words = `[Triad: your answer was passed to ${names}. This is the result that the person got:]\n\n${text}`;
  const at = endedAt ?? createdAt;
  return [...entries, { kind: 'user', source: 'engine', text: words, n: entries.length, at }];
}

/** Returns the number of characters in all texts of plain data. */
function countChars(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + countChars(one), 0);
}
