/** Words of the frame around the pages, in French: the rail, the palette, shortcuts; and what a stop has ended. */
import { MARK_SIGNS, markOfSubAgent } from '#contract/flows/agent-mark.ts';
import type { StoppedRun, StopReceipt } from '#contract/view.ts';
import { visibleText } from '#contract/visible-text.ts';
import { monthName } from '#lib/view/format.ts';
import type { RailDay } from '#lib/view/shell/rail.ts';
import type { SameWords } from '../following.ts';
import type * as english from '../shell-words.ts';
import { capital, listed, plural } from './sentences.ts';

const days: Readonly<Record<Exclude<RailDay, 'month'>, string>> = {
  pinned: 'Épinglées',
  today: 'Aujourd’hui',
  yesterday: 'Hier',
  week: '7 jours précédents',
};

const groups = {
  go: 'Aller à',
  conversation: 'Cette conversation',
  message: 'Votre message',
  view: 'Affichage',
} satisfies SameWords<typeof english.shellWords.groups>;

const commands = {
  new: 'Nouvelle conversation',
  palette: 'Tout rechercher',
  questions: 'Répondre à ce qui vous attend',
  next: 'Conversation suivante',
  previous: 'Conversation précédente',
  approvals: 'Approbations',
  agents: 'Agents',
  permissions: 'Permissions',
  mcp: 'Serveurs MCP',
  history: 'Historique',
  trash: 'Corbeille',
  settings: 'Réglages',
  stop: 'Arrêter le flux',
  resume: 'Reprendre le flux interrompu',
  replay: 'Rejouer le flux',
  compact: 'Compacter le contexte, pour faire de la place',
  rewind: 'Revenir avant votre dernier message',
  edit: 'Modifier votre dernier message et le renvoyer',
  retry: 'Renvoyer votre dernier message, dans une nouvelle branche',
  fork: 'Créer une branche après la dernière réponse',
  compare: 'Comparer les rapports des derniers sous-agents',
  runAgain: 'Relancer cet agent…',
  rename: 'Renommer la conversation',
  pin: 'Épingler ou détacher la conversation',
  find: 'Rechercher dans la conversation',
  changes: 'Afficher les changements de fichiers',
  context: 'Afficher le contexte',
  copyLink: 'Copier le lien',
  exportMarkdown: 'Exporter en Markdown',
  exportJson: 'Exporter en JSON',
  remove: 'Mettre la conversation à la corbeille',
  message: 'Écrire un message',
  attach: 'Joindre des images, des PDF ou des textes',
  model: 'Choisir le modèle du prochain message',
  lead: 'Choisir l’agent principal',
  save: 'Enregistrer l’agent',
  rail: 'Replier ou déplier la barre latérale',
  filter: 'Filtrer les conversations',
  light: 'Couleurs claires',
  dark: 'Couleurs sombres',
  system: 'Couleurs du système',
  contrast: 'Contraste élevé, activer ou désactiver',
  larger: 'Texte plus grand',
  smaller: 'Texte plus petit',
  english: 'Langue : English',
  french: 'Langue : Français',
  systemLanguage: 'Langue du système',
  shortcuts: 'Raccourcis clavier',
} satisfies SameWords<typeof english.shellWords.commands>;

function named({ agent, place }: StoppedRun): string {
  return place === 0 ? 'l’agent principal' : `${MARK_SIGNS[markOfSubAgent(place - 1)]} ${visibleText(agent)}`;
}

/** Sub-agents first, in the order in which they were asked for, then the lead. */
function inOrder(runs: readonly StoppedRun[]): StoppedRun[] {
  return [...runs].sort((a, b) => (a.place || Infinity) - (b.place || Infinity));
}

/** `Arrêté : ■ test-generator (1 requête). ● code-reviewer et l’agent principal continuent.` */
export function stopReceipt(receipt: StopReceipt): string {
  const { agents, requests, tools, approvals, left, ended, goOn, withdrawn, queued } = receipt;
  const returned =
    withdrawn.length === 0
      ? ''
      : withdrawn.length === 1
        ? 'Votre message en file est revenu dans le champ.'
        : `Vos ${withdrawn.length} messages en file sont revenus dans le champ.`;
  if (agents === 0 && withdrawn.length > 0) return returned;
  const what = [
    ...(requests > 0 ? [plural(requests, 'requête', 'requêtes')] : []),
    ...(tools > 0 ? [plural(tools, 'appel d’outil', 'appels d’outils')] : []),
    ...(approvals > 0 ? [plural(approvals, 'question', 'questions')] : []),
  ].join(', ');
  const who = ended.length > 0 ? listed(inOrder(ended).map(named)) : plural(agents, 'agent', 'agents');
  const late = left > 0 ? ` ${plural(left, 'est', 'sont')} encore en train de s’arrêter.` : '';
  const others = capital(listed(inOrder(goOn).map(named)));
  const rest =
    goOn.length > 0
      ? ` ${others} ${goOn.length === 1 ? 'continue' : 'continuent'}.`
      : queued > 0
        ? ` ${left > 0 ? 'Ensuite, le' : 'Le'} ${queued === 1 ? 'message en file' : `premier des ${queued} messages en file`} démarre.`
        : left === 0
          ? ' Plus rien n’est en cours.'
          : '';
  return `Arrêté : ${who}${what === '' ? '' : ` (${what})`}.${late}${rest}${returned && ` ${returned}`}`;
}

export const sidebarWords = {
  label: 'Conversations',
  newConversation: 'Nouvelle conversation',
  history: 'Historique',
  settings: 'Réglages',
  approvals: 'Approbations',
  agents: 'Agents',
  permissions: 'Permissions',
  mcp: 'Serveurs MCP',
  empty: 'Vos conversations seront listées ici.',
  hide: 'Masquer la barre latérale',
  show: 'Afficher la barre latérale',
  running: 'en cours',
  waiting: (value) => plural(value, 'vous attend', 'vous attendent'),
  untitled: 'Nouvelle conversation',
  failed: 'Impossible de charger les conversations',
} satisfies SameWords<typeof english.sidebarWords>;

export const shellWords = {
  filter: 'Filtrer les conversations',
  filterHint: 'Titre ou dossier',
  clearFilter: 'Effacer le filtre',
  found: (count, more) =>
    count === 0
      ? 'Aucune conversation trouvée'
      : `${plural(count, 'conversation', 'conversations')}${more ? ' et plus' : ''}`,
  noneFound: (words) => `Aucune conversation n’a « ${words} » dans son titre ou son dossier.`,
  fold: 'Replier la barre latérale',
  unfold: 'Déplier la barre latérale',
  search: 'Tout rechercher',
  folder: (folder) => `Dossier ${folder}`,
  more: 'Afficher plus',
  moreOf: (folder) => `Afficher plus de ${folder}`,
  older: 'Afficher les conversations plus anciennes',
  day: (day, at, now) => (day === 'month' ? capital(monthName(at, now)) : days[day]),
  rename: 'Renommer…',
  title: 'Titre de la conversation',
  titleHint: 'Vide : comme son premier message',
  pin: 'Épingler',
  unpin: 'Détacher',
  chosenRow: 'sélectionnée',
  chosen: (count) => plural(count, 'sélectionnée', 'sélectionnées'),
  clearChosen: 'Effacer la sélection',
  toTrash: 'Mettre à la corbeille',
  busyStays: 'Ce qui travaille ne bouge pas : arrêtez-le d’abord',
  movedToTrash: (count) => plural(count, 'conversation mise à la corbeille', 'conversations mises à la corbeille'),
  lead: (agent) => `Menée par ${agent}`,
  groups,
  commands,
  palette: {
    label: 'Trouver une commande, une conversation, un fichier, un rapport, un agent ou un réglage',
    placeholder: 'Commande, conversation, fichier, rapport, agent ou réglage…',
    results: 'Ce qui a été trouvé',
    none: 'Rien trouvé',
    count: (count) => plural(count, 'résultat', 'résultats'),
    conversations: 'Conversations',
    agents: 'Agents',
    settings: 'Réglages',
    files: 'Fichiers du dossier',
    toMessage: 'dans le message',
    reports: 'Rapports de sous-agents',
  },
  keys: {
    title: 'Raccourcis clavier',
    text: 'Les touches sans Ctrl, Alt ou ⌘ ne font rien pendant que vous écrivez dans un champ. Elles sont conservées dans ce navigateur.',
    change: (command) => `Changer les touches de « ${command} »`,
    press: 'Appuyez sur les nouvelles touches…',
    pressHint: 'Échap les laisse telles quelles ; Retour arrière les retire.',
    none: 'aucune',
    plain: 'Maintenez Ctrl, Alt ou ⌘, utilisez F1 à F12, ou appuyez sur deux touches l’une juste après l’autre.',
    second: 'puis…',
    then: (key) => `${key}, puis la deuxième touche`,
    taken: (keys, command) => `${keys} appartient à « ${command} ». Appuyez encore pour le lui prendre.`,
    fixed: (keys, use) => `${keys} est réservé à « ${use} ».`,
    saved: (command, keys) => `« ${command} » : ${keys}`,
    reset: 'Rétablir',
    resetOf: (command) => `Rétablir les touches de « ${command} »`,
    resetAll: 'Tout rétablir',
    rebind: 'Les changer dans les réglages',
    answerGroup: 'Dans une question',
    answerUses: {
      allow: 'Autoriser une fois',
      allowAll: 'Autoriser tout un lot',
      reject: 'Refuser : ouvre le motif',
      send: 'Envoyer le motif et refuser',
      askBack: 'Demander d’abord',
      choose: 'Choisir une autre question',
    },
    fixedUses: {
      allow: 'Autoriser, dans une question',
      allowAll: 'Tout autoriser, dans une question',
      reject: 'Refuser, dans une question',
      askBack: 'Interroger d’abord, dans une question',
    },
  },
  folderMenu: {
    label: (folder) => `Travaille dans ${folder}`,
    begin: 'Nouvelle conversation ici',
    agents: 'Ses agents',
    permissions: 'Ses permissions',
    copy: 'Copier le chemin',
  },
  places: { label: 'Dossiers', browse: 'Parcourir…' },
} satisfies SameWords<typeof english.shellWords>;
