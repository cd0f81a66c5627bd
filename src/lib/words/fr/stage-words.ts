/** The words of the stage, in French: lanes of sub-agents at work, what the person says to them, and their reports beside each other. */
import { callTitle } from '#lib/view/call-title.ts';
import type { Now } from '#lib/view/stage.ts';
import type { SameWords } from '../following.ts';
import type { stageWords as english } from '../stage-words.ts';
import { plural, que } from './sentences.ts';

/** What an agent does with a tool, by the tool's name; `what`: the argument that tells most. */
const DOING: Readonly<Record<string, (what: string) => string>> = {
  read_file: (what) => `lit ${what}`,
  read_note: (what) => `lit ${what}`,
  read_output: () => 'lit une longue sortie',
  list_directory: (what) => `regarde dans ${what === '' || what === '.' ? 'le dossier' : what}`,
  list_notes: () => 'parcourt les notes',
  glob: (what) => `cherche des fichiers : ${what}`,
  grep: (what) => `cherche ${what}`,
  semantic_search: (what) => `cherche ${what}`,
  write_file: (what) => `écrit ${what}`,
  edit_file: (what) => `modifie ${what}`,
  move_file: (what) => `déplace ${what}`,
  delete_file: (what) => `supprime ${what}`,
  bash: (what) => `exécute ${what}`,
  bash_output: () => 'consulte une commande',
  web_fetch: (what) => `lit ${what}`,
  web_search: (what) => `cherche sur le web ${what}`,
  memory: () => 'garde une note',
  todo_write: () => 'fait son plan',
  todo_read: () => 'consulte son plan',
  think: () => 'réfléchit',
  task_complete: () => 'remet sa réponse',
};

function now(name: string, what: Now): string {
  switch (what.kind) {
    case 'asks':
      return 'vous attend';
    case 'allowed':
      return 'autorisé : démarre quand les autres ont leur réponse';
    case 'queued':
      return 'attend son tour';
    case 'model':
      return `attend le modèle (${what.atATime} à la fois)`;
    case 'starts':
      return `→ ${name} démarre…`;
    case 'writes':
      return 'écrit';
    case 'thinks':
      return 'réfléchit';
    case 'reviews':
      return 'Relit sa réponse…';
    case 'compacts':
      return 'fait de la place dans son contexte';
    case 'retries':
      return 'attend le fournisseur';
    case 'call':
      return (DOING[what.name] ?? ((argument) => `utilise ${callTitle(what.name)} ${argument}`))(what.argument).trim();
  }
}

export const stageWords = {
  label: (agents) => `Au travail : ${agents.join(', ')}`,
  tabs: 'Sous-agents au travail',
  now,
  by: (agent) => `${agent} :`,
  stop: 'Arrêter',
  coming: 'Un autre sous-agent est demandé…',
  wantsToStart: 'Il veut démarrer',
  asks: (title) => `Il demande : ${title}`,
  answerLabel: (agent, title) => `Répondre : ${agent}, ${title}`,
  budget: 'Part utilisée de ce qui est permis',
  transcript: (agent) => `Ce ${que(agent)} fait`,
  latest: 'Le plus récent',
  allEnded: 'Tous ont terminé.',
  fold: 'Replier',
  say: {
    label: (agent) => `Dire quelque chose à ${agent}`,
    placeholder: (agent) => `Message à ${agent}…`,
    send: 'Le dire',
    unread: 'Il lira ceci avant sa prochaine requête',
    neverRead: 'Il s’est terminé avant de lire ceci',
    failed: 'Pas dit',
  },
  compare: {
    open: 'Comparer les rapports',
    title: (reports) => `${plural(reports, 'rapport', 'rapports')} côte à côte`,
    hint: 'Les parties de même titre sont côte à côte. Là où elles se ressemblent, les différences sont marquées.',
    same: 'Aucune différence.',
    differs: 'diffère :',
    missing: (agent) => `Rien de ceci chez ${agent}`,
    beginning: 'Début',
    close: 'Fermer',
    reports: 'Rapports',
  },
  folded: (agents) => plural(agents, 'sous-agent', 'sous-agents'),
} satisfies SameWords<typeof english>;
