/** Maps tools of other programs to ours: tools without a counterpart are reported, and nothing is widened. */
import { mcpServerOf } from './mcp-names.ts';
import type { Dialect } from './places.ts';

const CLAUDE: Readonly<Record<string, readonly string[]>> = {
  Read: ['read_file'],
  Write: ['write_file'],
  Edit: ['edit_file'],
  MultiEdit: ['edit_file'],
  Glob: ['glob'],
  Grep: ['grep'],
  LS: ['list_directory'],
  WebFetch: ['web_fetch'],
  WebSearch: ['web_search'],
  TodoWrite: ['todo_write', 'todo_read'],
  TodoRead: ['todo_read'],
  Task: ['spawn_agent', 'delegate_task', 'parallel_tasks'],
  Agent: ['spawn_agent', 'delegate_task', 'parallel_tasks'],
};
const OPENCODE: Readonly<Record<string, readonly string[]>> = {
  read: ['read_file'],
  write: ['write_file'],
  edit: ['edit_file'],
  patch: ['edit_file', 'write_file'],
  glob: ['glob'],
  grep: ['grep'],
  list: ['list_directory'],
  webfetch: ['web_fetch'],
  websearch: ['web_search'],
  todowrite: ['todo_write', 'todo_read'],
  todoread: ['todo_read'],
  task: ['spawn_agent', 'delegate_task', 'parallel_tasks'],
};

export interface MappedTools {
  /** Null: all of them. */
  tools: string[] | null;
  /** Names without a counterpart, as written in the file. */
  unknown: string[];
  /** Names of tools that only leads have here, as written. */
  leads: string[];
}

/** Names as another program's file lists them: `Read`, `Bash(git:*)`, `mcp__server__tool`, `*`. */
export function mapTools(names: readonly string[], dialect: Exclude<Dialect, 'triad'>): MappedTools {
  const mapped: MappedTools = { tools: [], unknown: [], leads: [] };
  for (const name of names) {
    if (name === '*' || /^all$/i.test(name)) mapped.tools = null;
    else if (mcpServerOf(name) !== null) mapped.tools?.push(name);
    else {
      const ours = counterpart(name, dialect);
      if (!ours) mapped.unknown.push(name);
      else if (ours.includes('spawn_agent')) mapped.leads.push(name);
      else mapped.tools?.push(...ours);
    }
  }
  return { ...mapped, tools: mapped.tools && [...new Set(mapped.tools)] };
}

/** Our tools for a name; null where there are none. A name with a pattern, such as `Bash(git:*)`, has none: ours would allow more. */
export function counterpart(name: string, dialect: Exclude<Dialect, 'triad'>): readonly string[] | null {
  const table = dialect === 'claude' ? CLAUDE : OPENCODE;
  const key = Object.keys(table).find((known) => known.toLowerCase() === name.toLowerCase());
  return key === undefined ? null : (table[key] ?? null);
}

/** Splits a list at the commas outside of brackets. */
export function splitNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let name = '';
  for (const char of text) {
    if (char === '(') depth++;
    else if (char === ')') depth--;
    if (depth <= 0 && (char === ',' || char === '\n')) {
      names.push(name);
      name = '';
    } else name += char;
  }
  return [...names, name].map((one) => one.trim().replace(/^(["'])(.*)\1$/, '$2')).filter((one) => one !== '');
}
