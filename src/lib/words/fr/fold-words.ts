/** The line in which finished calls of an agent are folded, in French: what it did, not which tools it called. */
import type { CallKind } from '#lib/view/folds.ts';
import { capital, number, plural } from './sentences.ts';

const times = (value: number): string => `${number(value)} fois`;

const did: Readonly<Record<CallKind, (count: number) => string>> = {
  file: (count) => plural(count, 'fichier consulté', 'fichiers consultés'),
  folder: (count) => plural(count, 'dossier parcouru', 'dossiers parcourus'),
  search: (count) => plural(count, 'recherche', 'recherches'),
  web: (count) => plural(count, 'recherche sur le web', 'recherches sur le web'),
  page: (count) => plural(count, 'page web lue', 'pages web lues'),
  note: (count) => plural(count, 'note lue', 'notes lues'),
  report: (count) => plural(count, 'rapport lu', 'rapports lus'),
  command: (count) => plural(count, 'commande exécutée', 'commandes exécutées'),
  agent: (count) => `rapports de sous-agents demandés ${times(count)}`,
  memory: () => 'mémoire consultée',
  plan: () => 'plan mis à jour',
  thought: () => 'réflexion',
  server: (count) => `serveurs MCP interrogés ${times(count)}`,
  other: (count) => plural(count, 'autre appel', 'autres appels'),
};

/** `4 fichiers consultés, 2 recherches`. */
export function foldedCalls(counts: readonly { kind: CallKind; count: number }[]): string {
  return capital(counts.map(({ kind, count }) => did[kind](count)).join(', '));
}
