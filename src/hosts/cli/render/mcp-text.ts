/** MCP servers and what they offer, as lines. Pure. */
import type { McpServerView, McpTest, McpToolView } from '#contract/mcp/mcp-methods.ts';
import { table } from '../terminal/table.ts';
import { truncate } from '../terminal/truncate.ts';
import { oneLine, visible } from '../terminal/visible.ts';
import { duration, localTime } from './format.ts';

/** Of the log of a server that does not work. */
const LOG_LINES = 20;

export const needsAgreement = ({ state, offered }: Pick<McpToolView, 'state' | 'offered'>): boolean =>
  offered && state !== 'known';

export function serverTable(servers: readonly McpServerView[], width: number): string[] {
  const columns = [
    ...[{ title: 'NAME' }, { title: 'STATE' }, { title: 'TOOLS' }, { title: 'FROM', rank: 1 }],
    { title: 'RUNS', min: 16 },
  ];
  const rows = servers.map((server) => [
    visible(server.name),
    stateOf(server),
    countOf(server),
    server.source === 'user' ? 'yours' : 'project',
    oneLine(visible(server.runs)),
  ]);
  return table(columns, rows, width);
}

function stateOf({ state, process, signIn }: McpServerView): string {
  if (state !== 'usable') return state;
  if (process?.status === 'failed') return 'failed';
  return signIn === 'out' ? 'signed out' : state;
}

/** How many agents are offered, and how many of those the person does not know as they are. */
function countOf({ heardAt, tools, state: standing }: McpServerView): string {
  if (heardAt === null) return standing === 'usable' ? 'not asked yet' : '–';
  const offered = tools.filter((tool) => tool.offered);
  const marks = (['changed', 'new'] as const).flatMap((state) => {
    const count = offered.filter((tool) => tool.state === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  return `${offered.length}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`;
}

/** The settings of one as pairs of key and value. */
export function serverFacts(server: McpServerView): [string, string][] {
  const { name, source, file, state, fault, kind, runs, permissions, sampling, signIn, process, heardAt } = server;
  const why = {
    usable: 'usable',
    disabled: 'switched off: it is never started',
    untrusted: 'untrusted: it is never started before "triad trust"',
    overridden: 'overridden: you have one of the same name',
    faulty: `faulty: ${fault}`,
  }[state];
  const facts: [string, string][] = [
    ['name', name],
    ['from', source === 'user' ? 'your settings' : 'the project'],
    ['file', file],
    ['state', oneLine(why)],
  ];
  if (state === 'faulty') return facts;
  const never = state === 'usable' ? `never: "triad mcp test ${name}" asks what it offers` : 'never';
  return [
    ...facts,
    [kind === 'stdio' ? 'runs' : 'address', oneLine(runs)],
    ['permissions', permissions.join(', ') || 'none'],
    ['sampling', sampling ? 'may ask for model requests; each is put to you' : 'no'],
    ...(signIn === 'none' ? [] : [['sign-in', `signed ${signIn}`] as [string, string]]),
    ...processFacts(process),
    ['last asked', heardAt === null ? never : localTime(heardAt)],
  ];
}

function processFacts(process: McpServerView['process']): [string, string][] {
  if (process === null) return [];
  const { status, pid, isSandboxed, users, error, words } = process;
  return [
    ['process', [status, ...(pid === null ? [] : [`pid ${pid}`]), `used by ${users} runs`].join(', ')],
    ...(isSandboxed ? [['sandbox', 'yes'] as [string, string]] : []),
    ...(error === null ? [] : [['error', oneLine(error)] as [string, string]]),
    ...(words === null ? [] : [['says', `${oneLine(words.name)} ${oneLine(words.version)}`] as [string, string]]),
  ];
}

/** What a test found, each tool on one line. */
export function testLines({ server, error, durationMs, resources, prompts }: McpTest, width: number): string[] {
  const { name, process, tools } = server;
  if (error !== null) {
    const lines = (process?.log ?? []).filter((line) => line !== error).slice(-LOG_LINES);
    const isSaid = lines.every((line) => error.includes(line.trim()));
    const log = isSaid ? [] : lines.map((line) => `  │ ${visible(line)}`);
    const title = log.length === 0 ? [] : ['  its last words:'];
    return [`${visible(name)} does not work (${duration(durationMs)}): ${oneLine(visible(error))}`, ...title, ...log];
  }
  const where = process?.isSandboxed ? ' in the sandbox' : '';
  const says = process?.words ? `: ${oneLine(visible(`${process.words.name} ${process.words.version}`))}` : '';
  return [
    `${visible(name)} answers${where} (${duration(durationMs)})${says}`,
    ...(tools.length === 0 ? ['  no tools'] : toolLines(tools, width)),
    ...list(
      'resources',
      resources.map((one) => [one.uri, one.description || one.name]),
      width,
    ),
    ...list(
      'prompts',
      prompts.map((one) => [
        [one.name, ...one.arguments.map((arg) => (arg.required ? `${arg.name}=…` : `[${arg.name}=…]`))].join(' '),
        one.description,
      ]),
      width,
    ),
  ];
}

/** A heading, and one line for each with what is special about it. */
export function toolLines(tools: readonly McpToolView[], width: number): string[] {
  return list(
    'tools',
    tools.map(({ tool, description, state, offered }) => {
      const marks = [...(state === 'known' ? [] : [state]), ...(offered ? [] : ['left out by your settings'])];
      return [tool, `${marks.length === 0 ? '' : `(${marks.join(', ')}) `}${description}`];
    }),
    width,
  );
}

const MOST_NAME = 48;

function list(title: string, rows: readonly (readonly string[])[], width: number): string[] {
  if (rows.length === 0) return [];
  const plain = rows.map((cells) => cells.map((cell) => oneLine(visible(cell))));
  const widest = Math.min(MOST_NAME, Math.max(...plain.map(([name = '']) => name.length)));
  const lines = plain.map(([name = '', words = '']) => `    ${name.padEnd(widest)}  ${words}`.trimEnd());
  const word = rows.length === 1 ? title.slice(0, -1) : title;
  return [`  ${rows.length} ${word}`, ...lines.map((line) => truncate(line, width))];
}

/** A tool as the person agreed to it, and as it is now; whole, because they decide by it. */
export function changeLines({ tool, state, before, description, inputSchema }: McpToolView): string[] {
  const isSameText = before === description;
  return [
    `${state.padEnd(7)}  ${visible(tool)}`,
    ...(before === null || isSameText ? [] : quoted('before', before)),
    ...quoted('now', description || '(it says nothing)'),
    ...(state === 'new' || isSameText ? quoted('takes', JSON.stringify(inputSchema)) : []),
  ];
}

function quoted(title: string, text: string): string[] {
  return visible(text)
    .trimEnd()
    .split('\n')
    .map((line, index) => `  ${(index === 0 ? title : '').padEnd(6)} │ ${line}`);
}
