/** Our side in one long conversation, with messages as a person writes them: `MODEL_URL FOLDER`. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '#core/host/runtime/runtime.ts';
import { ARCHIVE } from '#core/store/archive/archive-folder.ts';
import { openStore } from '#core/store/surreal.ts';
import { composeRuntime, settingsOf } from '../support/compose.ts';
import { clock } from './clock.ts';
import { serve } from './peer.ts';
import { Seeder } from './seed.ts';
import { ANSWER } from './long-answer.ts';

/** What a piece of work took. Times are in milliseconds; `cpuMs`: of all threads. */
export interface Taken {
  ms: number;
  cpuMs: number;
  blockedMs: number;
}

export interface TalkTaken extends Taken {
  /** Bytes after a collection of garbage. */
  heap: number;
  rss: number;
}

export interface ConversationOperations {
  /** Starts a conversation of so many messages. */
  seed(count: number): Promise<void>;
  /** Sends so many messages, one after the other, and waits for the work behind them. */
  talk(count: number): Promise<TalkTaken>;
  /** Each use of the conversation once, by name. */
  use(): Promise<Record<string, Taken>>;
}

/** Characters of a message. */
const MESSAGE_CHARS = 200;

const [url = '', folder = ''] = process.argv.slice(2);
const workspace = join(folder, 'workspace');
await mkdir(workspace, { recursive: true });
const store = await openStore({ url: `rocksdb://${join(folder, 'store')}`, archive: join(folder, ARCHIVE) });
const runtime: Runtime = await composeRuntime({
  store,
  url,
  data: folder,
  folder: workspace,
  // The smallest window of the models in use: room is made most often.
  settings: settingsOf('[providers.anthropic.models."claude-sonnet-5-5"]\ncontext_window = 200_000\n'),
  onFailure: (error) => {
    throw error;
  },
});
const seeder = new Seeder(store, workspace);
let conversationId = '';
let sent = 0;

const messageText = (index: number): string =>
  `Message ${index}: ${'what does this part of the program do, and why? '.repeat(9)}`.slice(0, MESSAGE_CHARS);

async function send(): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const leave = await runtime.subscribe('conversation', { conversationId }, (event) => {
    if (event.type !== 'workflow-end') return;
    if (event.outcome === 'completed') ended.resolve();
    else ended.reject(new Error(`the workflow ended as ${event.outcome}: ${event.error?.message}`));
  });
  await runtime.request('message.send', { conversationId, text: messageText(sent), approve: 'all' });
  sent += 1;
  await ended.promise.finally(leave);
}

async function measure(work: () => Promise<unknown>): Promise<Taken> {
  const [start, before] = [clock(), process.cpuUsage()];
  const blockedMs = await longestBlock(work);
  const { user, system } = process.cpuUsage(before);
  return { ms: clock() - start, cpuMs: (user + system) / 1000, blockedMs };
}

/**
 * The longest processor time of the main loop between two of its timers, in milliseconds. On the wall clock, other
 * programs would count.
 */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const used = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let [longest, last] = [0, used()];
  const timer = setInterval(() => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  try {
    await work();
    return Math.max(longest, used() - last);
  } finally {
    clearInterval(timer);
  }
}

/** The first screen, and then every page of earlier messages. */
async function readAll(): Promise<number> {
  let { workflows, more } = await runtime.request('conversation.snapshot', { conversationId });
  let count = workflows.length;
  for (let first = workflows[0]; more && first; first = workflows[0]) {
    ({ workflows, more } = await runtime.request('conversation.earlier', { conversationId, before: first.id }));
    count += workflows.length;
  }
  return count;
}

async function replay(): Promise<void> {
  for (let after = 0; ;) {
    const events = await runtime.request('conversation.events', { conversationId, after });
    const last = events.at(-1);
    if (!last) return;
    after = last.seq;
  }
}

const uses: Readonly<Record<string, () => Promise<unknown>>> = {
  open: () => runtime.request('conversation.snapshot', { conversationId }),
  'all pages': async () => {
    const count = await readAll();
    if (count !== sent) throw new Error(`${count} of ${sent} messages were read`);
  },
  search: async () => {
    const { items } = await runtime.request('history.search', { text: 'message part', limit: 20 });
    if (items.length !== 20) throw new Error(`${items.length} places were found`);
  },
  list: () => runtime.request('conversation.list', { limit: 50 }),
  context: () => runtime.request('context.state', { conversationId, parts: true }),
  replay,
  check: () => runtime.request('conversation.check', { conversationId }),
  'export as Markdown': () => runtime.request('conversation.export', { conversationId, format: 'md' }),
  'export as JSON': () => runtime.request('conversation.export', { conversationId, format: 'json' }),
  project: () => runtime.request('conversation.project', { conversationId }),
  fork: async () => {
    const { workflows } = await runtime.request('conversation.snapshot', { conversationId });
    await runtime.request('conversation.fork', { conversationId, workflowId: workflows.at(-1)?.id ?? '' });
    await store.settled();
  },
  trash: () => runtime.request('conversation.delete', { conversationId }),
  restore: () => runtime.request('conversation.restore', { conversationId }),
};

const operations: ConversationOperations = {
  seed: async (count) => {
    conversationId =
      count === 0
        ? (await runtime.request('conversation.create', {})).id
        : await seeder.messages(count, messageText, ANSWER);
    sent = count;
    await store.settled();
  },
  talk: async (count) => {
    const taken = await measure(async () => {
      for (let done = 0; done < count; done += 1) await send();
      await store.settled();
    });
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    return { ...taken, heap: heapUsed, rss };
  },
  use: async () => {
    const taken: Record<string, Taken> = {};
    for (const [name, work] of Object.entries(uses)) taken[name] = await measure(work);
    return taken;
  },
};

serve({ ...operations }, () => runtime.close());
