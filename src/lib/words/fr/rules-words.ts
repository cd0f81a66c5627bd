/** The words of rules that are changed, and of what a change would decide, in French. */
import type { Effect } from '#contract/permission.ts';
import type { SameWords } from '../following.ts';
import type { rulesWords as english } from '../rules-words.ts';
import { isOne, plural } from './sentences.ts';

/** Of one call, and of several. */
const now: Readonly<Record<Effect, readonly [string, string]>> = {
  deny: ['interdit à présent', 'interdits à présent'],
  ask: ['demandé à présent', 'demandés à présent'],
  allow: ['autorisé à présent', 'autorisés à présent'],
};
const would: Readonly<Record<Effect, readonly [string, string]>> = {
  deny: ['serait interdit', 'seraient interdits'],
  ask: ['serait demandé', 'seraient demandés'],
  allow: ['serait autorisé sans question', 'seraient autorisés sans question'],
};
const stay: Readonly<Record<Effect, readonly [string, string]>> = {
  deny: ['reste interdit', 'restent interdits'],
  ask: ['reste une question', 'restent des questions'],
  allow: ['reste autorisé', 'restent autorisés'],
};

const ruleOf = (id: string): string => {
  const [scope, number] = id.split(':');
  return scope === 'project' ? `la règle ${number} du projet` : `votre règle ${number}`;
};

const lastCalls = (looked: number): string =>
  looked === 1 ? 'Du dernier appel' : `Des ${plural(looked, 'dernier appel', 'derniers appels')}`;

export const rulesWords = {
  add: 'Ajouter une règle',
  edit: 'Modifier',
  remove: 'Retirer',
  editLabel: (sentence) => `Modifier : ${sentence}`,
  removeLabel: (sentence) => `Retirer : ${sentence}`,
  sentence: (effect, about, pattern) => (pattern === null ? `${effect} ${about}` : `${effect} ${about} sur ${pattern}`),
  undo: 'Annuler',
  moveUp: (sentence) => `Monter : ${sentence}`,
  moveDown: (sentence) => `Descendre : ${sentence}`,
  moved: (sentence, place) => `Passée à la place ${place} : ${sentence}`,
  place: 'Place dans son fichier',
  placeOf: (place, count) => `Place ${place} sur ${count}`,
  thisRule: 'cette règle',
  removed: (sentence) => `Retirée : ${sentence}`,
  saved: (sentence) => `Enregistrée : ${sentence}`,
  undone: 'Le fichier est comme avant.',
  actions: 'Changer',
  decides: (looked) => `Sur les ${looked} derniers`,
  decidesTitle: (looked) => `${lastCalls(looked)} dans ce dossier, combien chaque règle décide`,
  never: (by) => `Ne décide jamais : ${ruleOf(by)} le fait toujours avant elle.`,
  idle: 'Ne vaut pas : personne n’a fait confiance au fichier du projet tel qu’il est.',
  fault: (scope) =>
    scope === 'user'
      ? 'Votre fichier ne peut pas être changé ici :'
      : 'Le fichier du projet ne peut pas être changé ici :',
  newTitle: 'Une nouvelle règle',
  editTitle: 'Modifier une règle',
  effect: 'Effet',
  about: 'Outil ou permission',
  aboutHint: '* remplace une partie quelconque d’un nom',
  pattern: 'Sur',
  patternHint: 'Vide : tout. ** remplace des dossiers quelconques',
  agent: 'Agent',
  agentHint: 'Vide : tous',
  file: 'Écrite dans',
  files: { user: 'vos réglages', project: 'le projet' },
  holds: {
    user: 'Vaut dans tous les dossiers.',
    project: 'Ne vaut que dans ce dossier.',
  },
  anyServer: (server) => `Elle porte sur tout serveur MCP nommé ${server}, quoi qu’il démarre.`,
  save: 'Enregistrer la règle',
  saving: 'Enregistrement…',
  cancel: 'Annuler',
  reload: 'Revoir',
  failed: 'La règle ne peut pas être enregistrée ainsi',
  looking: 'Examen des derniers appels…',
  preview: 'Ce qu’elle déciderait',
  decided: (looked, decides) =>
    looked === 0
      ? 'Aucun agent n’a encore rien appelé dans ce dossier.'
      : `${lastCalls(looked)} ici, elle en décide ${decides}${decides === 0 ? '.' : ' :'}`,
  turn: (before, after, count) => {
    const form = isOne(count) ? 0 : 1;
    return before === after ? `${count} ${stay[after][form]}` : `${count} ${now[before][form]} ${would[after][form]}`;
  },
  changed: 'Appels pour lesquels elle change quelque chose',
  from: 'à présent',
  to: 'ensuite',
  untold: (count) => `De ${plural(count, 'appel', 'appels')}, personne ne peut rien dire`,
  why: {
    arguments: 'ses arguments étaient coupés, ou ne convenaient pas',
    tool: 'cet outil n’existe pas à présent',
    gone: 'ce dont il s’agissait n’existe plus, ou plus tel quel',
    refused: 'son outil le refuse, quoi que disent les règles',
  },
  again:
    'Comme si chacun était refait à présent. Ce qui a été autorisé compte comme à présent ; une exécution avec --approve ne compte pas.',
  dangers: {
    spawns: 'démarre un sous-agent temporaire',
    starts: 'démarre un sous-agent',
    irreversible: 'ne peut pas être annulé',
    outside: 'sort du dossier',
  },
  warnings: {
    spawns:
      'Elle laisse démarrer sans question des sous-agents temporaires. L’agent principal choisit leurs noms, leurs prompts et leurs outils, jusqu’à tous ceux qu’il a lui-même.',
    starts:
      'Elle laisse démarrer sans question des sous-agents : les agents qu’elle nomme, avec n’importe quelle tâche que l’agent principal leur donne.',
    irreversible: 'Elle peut laisser passer sans question ce qui ne peut pas être annulé.',
    outside: 'Elle peut laisser passer sans question ce qui sort de ce dossier, comme le réseau.',
  },
  loosened: (count) =>
    isOne(count)
      ? `${count} de ces appels démarre un sous-agent, ne peut pas être annulé ou sort du dossier.`
      : `${count} de ces appels démarrent un sous-agent, ne peuvent pas être annulés ou sortent du dossier.`,
  startsNothing:
    'Elle n’autorise pas le démarrage de sous-agents : une telle règle nomme l’outil en entier, et un motif ; pour les sous-agents temporaires, dans vos propres réglages.',
  bothNames: (pattern) =>
    `Elle ne laisse démarrer aucun sous-agent temporaire : son motif doit correspondre au nom et à « spawned: » devant le nom, comme ${pattern}.`,
  losesTrust:
    'Le fichier du projet a votre confiance tel qu’il est. Modifié, il n’autorise rien avant que vous ne lui fassiez à nouveau confiance.',
  untrusted:
    'Elle ne vaudra pas encore : ce qu’autorise le fichier d’un projet ne compte qu’une fois que vous lui avez fait confiance tel qu’il est alors.',
  neverDecides: (by) => `Elle ne déciderait jamais : ${ruleOf(by)} le fait toujours avant elle.`,
  fromCall: 'Faire une règle de cet appel',
  unnamed: 'Aucune règle ne peut autoriser cet appel seul : elle commence par demander.',
} satisfies SameWords<typeof english>;
