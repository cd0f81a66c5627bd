/** Loads a conversation for the session commands, by its own id or the id of one of its workflows. */
import { unlistedText } from '#contract/missing-text.ts';
import type { Client } from '#contract/rpc.ts';
import type { Snapshot } from '#contract/view.ts';
import type { Session } from '../../render/session-json.ts';
import type { Io } from '../../terminal/io.ts';
import { hasCode, UsageError } from '../../terminal/failure.ts';

type List = 'conversation.list' | 'trash.list';
const EVERYWHERE: readonly List[] = ['conversation.list', 'trash.list'];
const PAGE = 200;

/** Returns the id of a session, from an id or its first characters. */
export async function resolveSessionId(client: Client, word: string, lists = EVERYWHERE): Promise<string> {
  const see = `see "triad sessions list${lists.includes('conversation.list') ? '' : ' --trash'}"`;
  return resolveId(client, word, { lists, kind: 'session', see });
}

/** Returns the id of a run, from an id or its first characters. */
export async function resolveRunId(client: Client, word: string): Promise<string> {
  return resolveId(client, word, { lists: ['execution.list'], kind: 'run', see: 'see "triad sessions trace"' });
}

interface IdSearch {
  lists: readonly (List | 'execution.list')[];
  kind: 'session' | 'run';
  /** Hint of errors: the command that lists the ids. */
  see: string;
}

/** Returns the whole id. Throws if the word is no id, or the beginning of none or of several. */
async function resolveId(client: Client, word: string, { lists, kind, see }: IdSearch): Promise<string> {
  const { Id } = await import('#contract/ids.ts');
  if (Id.safeParse(word).success) return word;
  if (!/^[0-9a-f][0-9a-f-]{5,34}$/.test(word)) throw new UsageError(`"${word}" is not the id of a ${kind}: ${see}`);
  const ids = (await Promise.all(lists.map((list) => idsIn(client, list)))).flat();
  const [id, ...others] = new Set(ids.filter((one) => one.startsWith(word)));
  if (id === undefined) throw new UsageError(`No id of a ${kind} begins with ${word}: ${see}`);
  if (others.length > 0)
    throw new UsageError(`The ids of ${others.length + 1} ${kind}s begin with ${word}: give more of it, ${see}`);
  return id;
}

/** Returns true if lists contain everything that is stored. Otherwise prints what is missing. Call it after the last page. */
export async function isListWhole(screen: Io['screen'], client: Client): Promise<boolean> {
  const notice = unlistedText(await client.request('store.unlisted', {}));
  if (notice !== null) screen.note(notice);
  return notice === null;
}

async function idsIn(client: Client, list: IdSearch['lists'][number]): Promise<string[]> {
  const ids: string[] = [];
  for (let before: string | null | undefined; before !== null;) {
    const page: { items: { id: string }[]; next: string | null } = await client.request(list, {
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
    });
    ids.push(...page.items.map(({ id }) => id));
    before = page.next;
  }
  return ids;
}

/** Loads a session. The id of a workflow, a trace or a span selects only that workflow. */
export async function loadSession(client: Client, word: string): Promise<Session> {
  const id = (await workflowOfSpan(client, word)) ?? (await resolveSessionId(client, word));
  const snapshot = await nullIfNotFound(client.request('conversation.snapshot', { conversationId: id }));
  if (snapshot !== null) return loadEarlier(client, snapshot);
  const detail = await nullIfNotFound(client.request('workflow.get', { workflowId: id }));
  if (detail === null) throw new UsageError(`There is no session ${id}: see "triad sessions list"`);
  const { conversation, workflow, runs, approvals } = detail;
  return { conversation, workflows: [workflow], runs, approvals };
}

/** Returns the workflow of a trace id or a span id; null for another word. An id of a session has hyphens. */
async function workflowOfSpan(client: Client, word: string): Promise<string | null> {
  if (!/^(?:[0-9a-f]{32}|[0-9a-f]{16})$/.test(word)) return null;
  const about = await nullIfNotFound(client.request('trace.find', { id: word }));
  if (about === null) throw new UsageError(`Nothing in the history has the trace or span id ${word}`);
  return about.workflowId;
}

/** Loads a session like `loadSession`, with the parts that the store has lost. */
export async function loadChecked(client: Client, word: string): Promise<Session> {
  const session = await loadSession(client, word);
  const { missing } = await client.request('conversation.check', { conversationId: session.conversation.id });
  return { ...session, missing };
}

/** Loads all earlier workflows, page by page. */
async function loadEarlier(client: Client, newest: Snapshot): Promise<Session> {
  let { workflows, runs, approvals } = newest;
  let { more } = newest;
  for (let first = workflows[0]; more && first !== undefined; first = workflows[0]) {
    const page = await client.request('conversation.earlier', {
      conversationId: newest.conversation.id,
      before: first.id,
    });
    if (page.workflows.length === 0) break;
    workflows = [...page.workflows, ...workflows];
    runs = [...page.runs, ...runs];
    approvals = [...page.approvals, ...approvals];
    more = page.more;
  }
  return { conversation: newest.conversation, workflows, runs, approvals };
}

/** Returns the answer of a request; null instead of the error `not_found`. */
export async function nullIfNotFound<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (hasCode(error, 'not_found')) return null;
    throw error;
  }
}
