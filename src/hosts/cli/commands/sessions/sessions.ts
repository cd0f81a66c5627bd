/** `triad sessions list`, `show` and `trace`: what was said and done, as tables or JSON. */
import type { Client } from '#contract/rpc.ts';
import { usageOf } from '#core/usage.ts';
import { cost, duration, localTime, oneLine, tokens } from '../../render/format.ts';
import type { Io } from '../../terminal/io.ts';
import { loadSession, type Session, wholeSession } from './session.ts';
import { listedSession, shownSession } from '../../render/session-json.ts';
import type { Style } from '../../terminal/style.ts';
import { cut, table, wrap } from '../../terminal/table.ts';
import { traceOf } from '../../render/trace.ts';
import { traceText } from '../../render/trace-text.ts';
import { visible } from '../../terminal/visible.ts';

const PAGE = 50;

/** Without a limit, JSON lists everything and the table the newest page. */
export async function listSessions(
  { screen, signal }: Io,
  client: Client,
  options: { json?: boolean; limit?: number; trash?: boolean },
): Promise<void> {
  const list = options.trash ? 'trash.list' : 'conversation.list';
  const most = options.limit ?? (options.json ? Infinity : PAGE);
  const sessions: Session[] = [];
  let before: string | null = null;
  do {
    signal.throwIfAborted();
    const limit = Math.min(PAGE, most - sessions.length);
    const page: { items: { id: string }[]; next: string | null } = await client.request(list, {
      limit,
      ...(before === null ? {} : { before }),
    });
    for (const { id } of page.items) {
      sessions.push(await wholeSession(client, await client.request('conversation.snapshot', { conversationId: id })));
    }
    before = page.next;
  } while (before !== null && sessions.length < most);

  if (options.json) return screen.data(`${JSON.stringify(sessions.map(listedSession), null, 2)}\n`);
  if (sessions.length === 0) return screen.note(options.trash ? 'The trash is empty.' : 'No sessions yet.');
  for (const line of sessionTable(sessions, screen.width)) screen.data(`${line}\n`);
  if (before !== null) screen.note(`Only the newest ${sessions.length}: more with --limit.`);
  if (options.trash) screen.note('To get one back: triad sessions restore ID');
}

export function sessionTable(sessions: readonly Session[], width: number): string[] {
  const columns = [
    { title: 'SESSION' },
    { title: 'UPDATED', rank: 2 },
    { title: 'WORKFLOWS', rank: 4, align: 'right' as const },
    { title: 'SUB-AGENTS', rank: 5, align: 'right' as const },
    { title: 'LAST', rank: 1 },
    { title: 'TOKENS', rank: 3, align: 'right' as const },
    { title: 'TITLE', min: 12 },
  ];
  const rows = sessions.map(({ conversation, workflows }) => [
    conversation.id,
    localTime(conversation.updatedAt),
    String(workflows.length),
    // Those that started; what was asked for and refused is no sub-agent.
    String(workflows.reduce((sum, { subAgentCount }) => sum + subAgentCount, 0)),
    workflows.at(-1)?.outcome ?? workflows.at(-1)?.status ?? '–',
    tokens(conversation.usage).replace(' tokens', ''),
    visible(oneLine(conversation.title)) || '(no message yet)',
  ]);
  return table(columns, rows, width);
}

export async function showSession(
  { screen }: Io,
  client: Client,
  id: string,
  options: { json?: boolean },
): Promise<void> {
  const session = await loadSession(client, id);
  if (options.json) return screen.data(`${JSON.stringify(shownSession(session), null, 2)}\n`);
  for (const line of shownLines(session, screen.width, screen.dataStyle)) screen.data(`${line}\n`);
}

/** Prompts, answers and errors are shown whole; what stands around them fits the width. */
function shownLines(session: Session, width: number, style: Style): string[] {
  const { conversation } = session;
  const { id, title, folder, agent, createdAt, deletedAt } = conversation;
  const used = usageOf(conversation.usage);
  const head = [folder, agent, localTime(createdAt)].map((fact) => visible(oneLine(fact))).join(' · ');
  const trash = `In the trash since ${localTime(deletedAt ?? createdAt)}; to get it back: triad sessions restore ${id}`;
  return [
    style('bold', cut(`Session ${id}: ${visible(oneLine(title))}`, width)),
    cut(`  ${head}`, width),
    cut(`  ${tokens(used)} · ${cost(used.costUsd)}`, width),
    ...(deletedAt ? wrap(`  ${trash}`, width) : []),
    ...shownSession(session).workflows.flatMap((workflow) => workflowLines(workflow, width, style)),
  ];
}

type Shown = ReturnType<typeof shownSession>['workflows'][number];

function workflowLines(workflow: Shown, width: number, style: Style): string[] {
  const { id, outcome, status, durationMs, usage, error, prompt, answer, subAgents } = workflow;
  const facts = [outcome ?? status, duration(durationMs), tokens(usage), cost(usage.costUsd)];
  const children = subAgents.map((child) => {
    const mark = child.outcome === null ? '…' : child.outcome === 'completed' ? '✓' : '✗';
    const own = [child.outcome ?? child.status, duration(child.durationMs), tokens(child.usage)];
    return cut(`  ${mark} ${visible(child.agent)} (${child.kind}) · ${own.join(' · ')}`, width);
  });
  return [
    '',
    ...wrap(`Workflow ${id} · ${facts.join(' · ')}`, width).map((line) => style('cyan', line)),
    style('bold', '> ') + visible(prompt).replaceAll('\n', '\n> '),
    ...children,
    ...(answer === '' ? [] : ['', visible(answer).trimEnd()]),
    ...(error === null ? [] : [style('red', `${error.code}: ${visible(oneLine(error.message))}`)]),
  ];
}

export async function traceSession(
  { screen, signal }: Io,
  client: Client,
  id: string,
  options: { json?: boolean },
): Promise<void> {
  const { conversation, workflows } = await loadSession(client, id);
  const details = [];
  for (const workflow of workflows) {
    signal.throwIfAborted();
    details.push(await client.request('workflow.get', { workflowId: workflow.id }));
  }
  const trace = traceOf(conversation, details);
  if (options.json) return screen.data(`${JSON.stringify(trace, null, 2)}\n`);
  for (const line of traceText(trace, screen.width, screen.dataStyle)) screen.data(`${line}\n`);
}
