/** A workspace folder on disk that goes away with the test, and the context in which tools run in it. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { TriadError } from '#core/base/errors.ts';
import { RunShell, ShellHost } from '#core/workspace/shell/run-shell.ts';
import { search, type SearchOptions } from '#core/tools/search/search.ts';
import type { Tool, ToolContext, ToolResult } from '#core/tools/tool.ts';
import type { Workspace } from '#core/workspace/reach.ts';
import { readFolderIdSync } from '#core/workspace/roots.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';

/** A canonical new folder with these files. */
export async function folderWith(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'triad-test-')));
  onTestFinished(async () => {
    // What the agents of a test replaced is kept beside it.
    for (const path of [folder, `${folder}-replaced`]) await rm(path, { recursive: true, force: true });
  });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/** The folder as a sub-agent's tools have it, with nothing of the program in it. */
export function workspaceIn(folder: string, more: Partial<Workspace> = {}): Workspace {
  return { folder, root: readFolderIdSync(folder) ?? '', own: [], sessions: [], secrets: NO_FILES, ...more };
}

/** `searching`: how searches are made; without ripgrep where nothing is said. */
export function contextIn(
  place: string | Workspace,
  signal: AbortSignal = new AbortController().signal,
  searching?: SearchOptions,
): ToolContext {
  const workspace = typeof place === 'string' ? workspaceIn(place) : place;
  const ids = { conversationId: 'c', workflowId: 'w', runId: 'r', toolCallId: 't' };
  return {
    call: {
      ...ids,
      provider: 'anthropic',
      model: 'claude-sonnet-5-5',
      span: null,
      origin: { ...ids, agent: 'a', tool: 't', folder: workspace.folder, at: '2026-01-01T00:00:00.000Z' },
      ask: () => Promise.resolve(null),
      sample: () => Promise.reject(new Error('There is no model')),
      progress: () => undefined,
    },
    workspace,
    signal,
    files: {
      seen: () => null,
      keep: () => Promise.resolve(),
      alone: (work) => work(),
      lent: () => null,
      unredacted: { has: () => false, add: () => undefined },
    },
    search: {
      run: (job, timeoutMs) => search(job, signal, { timeoutMs, ripgrep: null, ...searching }),
      hidden: () => Promise.resolve([]),
      acquireThread: () => Promise.resolve(() => undefined),
    },
    shell: {
      commands: new RunShell(new ShellHost({}, null), `${workspace.folder}-background`, signal),
      folder: () => '',
    },
    outputs: {
      path: () => `${workspace.folder}-output`,
      open: () => Promise.reject(new TriadError('not_found', 'Nothing is kept here')),
      keepImage: () => Promise.resolve(),
    },
    reports: {
      past: () => Promise.resolve([]),
      noteSessions: () => Promise.resolve(new Map()),
      read: () => Promise.resolve(null),
    },
    web: { privateHosts: [], searchEndpoint: { host: null, search: () => Promise.resolve([]) } },
    memory: {
      list: () => Promise.resolve([]),
      read: () => Promise.resolve(null),
      write: () => Promise.resolve(),
      delete: () => Promise.resolve(false),
    },
    plan: { read: () => [], write: () => Promise.resolve() },
    children: null,
  };
}

type Capability = Exclude<keyof ToolContext, 'signal' | 'children'>;
export type ContextChanges = Partial<Pick<ToolContext, 'signal' | 'children'>> & {
  [Name in Capability]?: Partial<ToolContext[Name]>;
};

/** Returns the context with these members of its capabilities replaced. */
export function contextWith(context: ToolContext, changes: ContextChanges): ToolContext {
  const { signal = context.signal, children = context.children, ...capabilities } = changes;
  const changed = Object.entries(capabilities).map(([name, members]) => [
    name,
    { ...context[name as Capability], ...members },
  ]);
  return { ...context, ...(Object.fromEntries(changed) as Partial<ToolContext>), signal, children };
}

/** Parses the input as the engine does, then runs the tool. */
export async function call(tool: Tool, input: unknown, context: ToolContext): Promise<ToolResult> {
  return tool.execute(tool.input.parse(input), context, null);
}

/**
 * Processor time of one turn, in milliseconds, at which something is held up: eight times what the program allows itself,
 * because a shared machine counts page faults and lost caches as processor time. The bench has the figures.
 */
export const BLOCK_MS = 400;

/** The longest stretch of work without a break on this thread, in milliseconds of its own processor time: a busy machine changes nothing. */
export async function longestBlock<T>(work: () => Promise<T>): Promise<{ value: T; longest: number }> {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let longest = 0;
  let last = used();
  const measure = () => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(measure, 1);
  try {
    const value = await work();
    measure();
    return { value, longest };
  } finally {
    clearInterval(timer);
  }
}
