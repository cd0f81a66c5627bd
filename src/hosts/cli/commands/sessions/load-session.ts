/** A whole conversation as the session commands need it, by its own id or by that of one of its workflows. */
import { Id } from '#contract/ids.ts';
import { unlistedText } from '#contract/missing-text.ts';
import type { Client } from '#contract/rpc.ts';
import type { Snapshot } from '#contract/view.ts';
import type { Session } from '../../render/session-json.ts';
import type { Io } from '../../terminal/io.ts';
import { hasCode, UsageError } from '../../terminal/failure.ts';

type List = 'conversation.list' | 'trash.list';
const EVERYWHERE: readonly List[] = ['conversation.list', 'trash.list'];
const PAGE = 200;

/** The id of a session that is meant by an id or its first characters. */
export async function sessionId(client: Client, word: string, lists = EVERYWHERE): Promise<string> {
  const see = `see "triad sessions list${lists.includes('conversation.list') ? '' : ' --trash'}"`;
  return idMeant(client, word, { lists, kind: 'session', see });
}

/** The id of a run that is meant by an id or its first characters. */
export async function meantRunId(client: Client, word: string): Promise<string> {
  return idMeant(client, word, { lists: ['execution.list'], kind: 'run', see: 'see "triad sessions agents --json"' });
}

interface Sought {
  lists: readonly (List | 'execution.list')[];
  kind: 'session' | 'run';
  /** Where its ids are found. */
  see: string;
}

/** The id that is meant by an id or its first characters; throws where it cannot be one, or not a single one. */
async function idMeant(client: Client, word: string, { lists, kind, see }: Sought): Promise<string> {
  if (Id.safeParse(word).success) return word;
  if (!/^[0-9a-f][0-9a-f-]{5,34}$/.test(word)) throw new UsageError(`"${word}" is not the id of a ${kind}: ${see}`);
  const ids = (await Promise.all(lists.map((list) => idsIn(client, list)))).flat();
  const [id, ...others] = new Set(ids.filter((one) => one.startsWith(word)));
  if (id === undefined) throw new UsageError(`No id of a ${kind} begins with ${word}: ${see}`);
  if (others.length > 0)
    throw new UsageError(`The ids of ${others.length + 1} ${kind}s begin with ${word}: give more of it, ${see}`);
  return id;
}

/** Whether the lists have all that is stored; else says how many they have not. For a list that was read to its end. */
export async function isListWhole(screen: Io['screen'], client: Client): Promise<boolean> {
  const notice = unlistedText(await client.request('store.unlisted', {}));
  if (notice !== null) screen.note(notice);
  return notice === null;
}

async function idsIn(client: Client, list: Sought['lists'][number]): Promise<string[]> {
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

/** With the id of a workflow, of a trace or of a span only that workflow is in it. */
export async function loadSession(client: Client, word: string): Promise<Session> {
  const id = (await workflowOfSpan(client, word)) ?? (await sessionId(client, word));
  const snapshot = await found(client.request('conversation.snapshot', { conversationId: id }));
  if (snapshot !== null) return wholeSession(client, snapshot);
  const detail = await found(client.request('workflow.get', { workflowId: id }));
  if (detail === null) throw new UsageError(`There is no session ${id}: see "triad sessions list"`);
  const { conversation, workflow, runs, approvals } = detail;
  return { conversation, workflows: [workflow], runs, approvals };
}

/** Null where the word is neither a trace id nor a span id: an id of a session has hyphens in it. */
async function workflowOfSpan(client: Client, word: string): Promise<string | null> {
  if (!/^(?:[0-9a-f]{32}|[0-9a-f]{16})$/.test(word)) return null;
  const about = await found(client.request('trace.find', { id: word }));
  if (about === null) throw new UsageError(`Nothing in the history has the trace or span id ${word}`);
  return about.workflowId;
}

/** The same, with what the store has lost of the conversation. */
export async function loadChecked(client: Client, word: string): Promise<Session> {
  const session = await loadSession(client, word);
  const { missing } = await client.request('conversation.check', { conversationId: session.conversation.id });
  return { ...session, missing };
}

/** Goes back page by page to the first workflow. */
async function wholeSession(client: Client, newest: Snapshot): Promise<Session> {
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

/** Null where the runtime knows no such thing. */
export async function found<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (hasCode(error, 'not_found')) return null;
    throw error;
  }
}
