/** What a yes lets an agent do, with what, and how much at most, in the words of the terminal: the blocks of the app's question. Pure. */
import type { Permission } from '#contract/agent.ts';
import type { Leave, May, Summary } from '#contract/approvals/summary.ts';

const VERBS: Readonly<Partial<Record<Permission, string>>> = {
  FilesystemWrite: 'write',
  Execute: 'run',
  NetworkAccess: 'net',
  DatabaseRead: 'read databases',
  DatabaseWrite: 'write databases',
};

const LEAVES: Readonly<Record<Leave, string>> = {
  no: 'no',
  all: 'asks you',
  some: 'asks you about some',
  none: 'without asking',
  refused: 'refused',
  held: 'yes',
};

/** A formatter is made when it is needed: the first one delays the start by tens of milliseconds. */
const formatCompact = (value: number): string =>
  value.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });

export function mayText({ may }: Summary): string {
  return may.map(mayWords).join(' · ');
}

function mayWords({ permission, leave }: May): string {
  if (permission !== 'FilesystemRead') return `${VERBS[permission] ?? permission}: ${LEAVES[leave]}`;
  if (leave === 'none' || leave === 'held') return 'read this folder';
  return leave === 'no' ? 'read: no' : `read this folder: ${LEAVES[leave]}`;
}

/** The provider too: a terminal does not know which one answers anyway. */
export function withText({ with: { model, provider, effort, folder, mcpServers } }: Summary): string {
  const servers = mcpServers.length === 0 ? [] : [`MCP: ${mcpServers.join(', ')}`];
  return [`${model}${effort === null ? '' : `, effort ${effort}`}`, `at ${provider}`, `in ${folder}`, ...servers].join(
    ' · ',
  );
}

export function atMostText({ atMost }: Summary): string {
  const { turns, costUsd, minutes, tokens, answerTokens } = atMost;
  const answer = `${formatCompact(answerTokens)} tokens an answer`;
  return [
    `${turns} ${turns === 1 ? 'turn' : 'turns'}`,
    ...(costUsd === null ? [] : [`$${costUsd.toFixed(2)}`]),
    ...(minutes === null ? [] : [`${formatCompact(minutes)} min`]),
    tokens === null ? answer : `${formatCompact(tokens)} tokens, ${answer.replace(' tokens', '')}`,
  ].join(' · ');
}
