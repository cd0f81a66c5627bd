/** What can stand at the cursor: files, agents, commands and prompts, with what choosing each of them does. */
import type { AgentSummary } from '#contract/agent.ts';
import type { McpServerView, McpTest } from '#contract/mcp/mcp-methods.ts';
import type { Commands } from '#lib/app/commands.svelte.ts';
import { COMMAND_IDS, slashOf } from '#lib/view/shell/command-table.ts';
import { text } from '#lib/words/text.ts';
import { mentionOf } from './word.ts';

/** A command behind `/`. */
export interface Command {
  /** Without the slash. */
  name: string;
  description: string;
  /** Null: not now. It is not offered then, and not taken for a message where it is written. */
  run: (() => void) | null;
}

/** A prompt of an MCP server; what it needs is asked before it is filled in. */
export interface ServerPrompt {
  server: string;
  prompt: McpTest['prompts'][number];
}

export type Suggestion = { key: string; label: string; detail: string } & (
  | { kind: 'file' | 'folder' | 'agent'; insert: string }
  | { kind: 'command'; command: Command }
  | { kind: 'prompt'; prompt: ServerPrompt }
  /** Servers that do not run yet. */
  | { kind: 'servers'; servers: readonly string[] }
);

const words = text.composer;
/** Agents that are shown among files. */
const MAX_AGENTS = 4;

/** All that have a name behind `/`, also those that cannot be given now. */
export function slashCommands(commands: Pick<Commands, 'can' | 'run'>): Command[] {
  return COMMAND_IDS.flatMap((id) => {
    const name = slashOf(id);
    if (name === null) return [];
    return [{ name, description: text.shell.commands[id], run: commands.can(id) ? () => commands.run(id) : null }];
  });
}

export function mentions(query: string, paths: readonly string[], agents: readonly AgentSummary[]): Suggestion[] {
  const wanted = query.toLowerCase();
  const named = agents
    .filter(({ name, role, enabled }) => enabled && role !== 'primary' && name.toLowerCase().includes(wanted))
    .sort((a, b) => rank(a.name, wanted) - rank(b.name, wanted) || (a.name < b.name ? -1 : 1))
    .slice(0, wanted === '' ? MAX_AGENTS : undefined)
    .map(({ name, description }): Suggestion => {
      return { kind: 'agent', key: `agent ${name}`, label: name, detail: description, insert: `@${name} ` };
    });
  const files = paths.map((path): Suggestion => {
    const kind = path.endsWith('/') ? 'folder' : 'file';
    return { kind, key: `path ${path}`, label: path, detail: words[kind], insert: mentionOf(path) };
  });
  return [...named, ...files];
}

export function commandsFor(
  query: string,
  commands: readonly Command[],
  prompts: readonly ServerPrompt[],
  idle: readonly string[],
): Suggestion[] {
  const wanted = query.toLowerCase();
  const fits = (name: string): boolean => name.toLowerCase().includes(wanted);
  const known = commands
    .filter(({ name, run }) => run !== null && fits(name))
    .sort((a, b) => rank(a.name, wanted) - rank(b.name, wanted));
  return [
    ...known.map((command): Suggestion => {
      const { name, description } = command;
      return { kind: 'command', key: `command ${name}`, label: `/${name}`, detail: description, command };
    }),
    ...prompts
      .filter(({ server, prompt }) => fits(`${server}:${prompt.name}`))
      .map((one): Suggestion => {
        const label = `/${one.server}:${one.prompt.name}`;
        const detail = one.prompt.description || words.promptOf(one.server);
        return { kind: 'prompt', key: `prompt ${label}`, label, detail, prompt: one };
      }),
    ...(idle.length > 0 && wanted === ''
      ? [{ kind: 'servers' as const, key: 'servers', label: words.idleServers(idle), detail: '', servers: idle }]
      : []),
  ];
}

/** Those that begin like it stand first. */
const rank = (name: string, wanted: string): number => (name.toLowerCase().startsWith(wanted) ? 0 : 1);

/** The servers that may be used, by whether they run: what does not run is started by the person alone. */
export function serversBy(views: readonly McpServerView[]): { running: string[]; idle: string[] } {
  const usable = views.filter(({ state }) => state === 'usable');
  const runs = ({ process }: McpServerView): boolean => process?.status === 'ready';
  return {
    running: usable.filter(runs).map(({ name }) => name),
    idle: usable.filter((view) => !runs(view)).map(({ name }) => name),
  };
}
