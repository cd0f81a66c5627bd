/** The words about what agents changed in files, in French. */
import type { UndoneFile } from '#contract/change.ts';
import type { changesWords as english } from '../changes-words.ts';
import type { SameWords } from '../following.ts';
import { de, plural } from './sentences.ts';

const files = (value: number): string => plural(value, 'fichier', 'fichiers');

const OUTCOMES: Readonly<Record<UndoneFile['outcome'], (value: number, redo: boolean) => string>> = {
  put_back: (value, redo) => `${plural(value, 'fichier comme', 'fichiers comme')} avant${redo ? ' l’annulation' : ''}`,
  merged: (value) => `${plural(value, 'fichier fusionné', 'fichiers fusionnés')} avec ce qui a suivi`,
  already: (value) => `${plural(value, 'fichier l’était', 'fichiers l’étaient')} déjà`,
  conflict: (value) => plural(value, 'fichier laissé tel quel', 'fichiers laissés tels quels'),
};
const ORDER = ['put_back', 'merged', 'conflict', 'already'] as const satisfies UndoneFile['outcome'][];

const doneWord = (redo: boolean): string => (redo ? 'Rétabli' : 'Annulé');

export const changesWords = {
  title: 'Changements',
  open: (value) => (value === 0 ? 'Changements' : `Changements : ${files(value)} à examiner`),
  close: 'Fermer les changements',
  grouping: 'Grouper',
  groupings: { agent: 'Par agent', file: 'Par fichier' },
  empty: 'Aucun agent n’a modifié de fichier dans cette conversation.',
  failed: 'Impossible de charger les changements',
  diffFailed: 'Impossible de charger la différence',
  files,
  counts: (added, removed) => `+${added} −${removed}`,
  states: { done: '', undone: 'annulé', changed: 'changé depuis', gone: 'son dossier a disparu' },
  kinds: { made: 'créé', changed: 'modifié', removed: 'supprimé', passing: 'créé puis supprimé' },
  folderKinds: { file: '', link: 'lien', folder: 'dossier' },
  canRunCode: 'peut exécuter du code',
  movedFrom: (path) => `déplacé depuis ${path}`,
  movedTo: (path) => `déplacé vers ${path}`,
  undo: 'Annuler',
  redo: 'Rétablir',
  keep: 'Garder',
  undoAll: 'Tout annuler…',
  redoAll: 'Tout rétablir',
  redoParts: 'Rétablir ce qui est annulé ici',
  of: (button, what) => `${button} : ${what}`,
  ofAgent: (path, agent) => `${path} par ${agent}`,
  part: (number) => `partie ${number}`,
  parts: 'Parties',
  difference: (path, number) => `${path}, partie ${number}`,
  notKept: (paths) =>
    `Changés aussi, sans retour possible (${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ` et ${paths.length - 3} de plus` : ''})`,
  preview: {
    title: (agent) => `Annuler tous les changements ${de(agent)} ?`,
    titleOfCall: (agent) => `Annuler ce qu’un appel ${de(agent)} a modifié ?`,
    titleOfFile: (path, agent) => `Annuler les changements ${de(agent)} dans ${path} ?`,
    since: 'Changé depuis par',
    sinceOthers: 'Changé depuis hors de cette conversation : par vous, un autre programme ou une autre conversation.',
    fileHistory: 'Tous les changements par fichier',
    looking: 'Examen de chaque fichier…',
    description: 'Rien ne change avant votre accord.',
    outcomes: {
      put_back: 'Remis comme avant ; ce qui a été créé est supprimé',
      restored: 'Remis comme avant',
      removed: 'Supprimé : il n’existait pas avant',
      merged: 'Retiré ; ce que d’autres y ont fait depuis reste',
      conflict: 'En conflit : impossible à annuler sans perdre ce qui a suivi',
      already: 'Déjà annulé : rien à remettre',
    },
    undo: (value) => `Annuler ${files(value)}`,
    leave: 'Annuler les autres, laisser ceux-ci',
    cancel: 'Ne rien changer',
    nothing: 'Rien ne peut en être annulé.',
    already: 'Il ne reste rien à annuler.',
  },
  rewind: {
    open: 'Revenir avant ce message…',
    working: 'Pas tant que quelque chose travaille dans cette conversation',
    title: (message) => `Revenir avant « ${message} »`,
    description: 'Rien n’est supprimé. Cette conversation reste, et les fichiers peuvent y être rétablis.',
    files: 'Fichiers',
    filesHint: 'Ce que des agents ont changé depuis est remis comme avant. Ce que d’autres y ont fait depuis reste.',
    messages: 'Conversation',
    messagesHint:
      'Une nouvelle conversation qui s’arrête avant ce message, lequel y attend d’être envoyé. Elle ne coûte rien avant l’envoi.',
    go: 'Revenir',
    leave: 'Revenir, laisser les fichiers en conflit',
    choose: 'Choisissez au moins l’un des deux.',
    redoFiles: 'Rétablir les fichiers',
    dismiss: 'Fermer cette ligne',
  },
  working: 'Travail sur les fichiers…',
  done: (outcomes, redo) => {
    const parts = ORDER.flatMap((outcome) => {
      const value = outcomes.filter((one) => one.outcome === outcome).length;
      return value === 0 ? [] : [OUTCOMES[outcome](value, redo)];
    });
    if (outcomes.every(({ outcome }) => outcome === 'already'))
      return redo ? 'Tout y est déjà : rien n’a été modifié.' : 'C’est déjà annulé : rien n’a été modifié.';
    const isDone = outcomes.some(({ outcome }) => outcome === 'put_back' || outcome === 'merged');
    const nothing = redo ? 'Rien n’a été rétabli' : 'Rien n’a été annulé';
    return `${isDone ? doneWord(redo) : nothing} : ${parts.join(', ')}.`;
  },
  donePart: (number, path, redo) => `${doneWord(redo)} : partie ${number} de ${path}.`,
  commit: {
    open: 'Commit…',
    title: 'Commit dans votre dépôt git',
    description: 'Enregistre les fichiers tels qu’ils sont. Les autres fichiers indexés le restent.',
    files: 'Fichiers',
    none: 'Il n’y a rien à enregistrer.',
    message: 'Message',
    commit: (value) => `Commit de ${files(value)}`,
    committing: 'Commit en cours…',
    cancel: 'Annuler',
    needsMessage: 'Écrivez l’objet du commit.',
    needsFiles: 'Choisissez au moins un fichier.',
    programs: 'Git exécute ces programmes hors du bac à sable',
    programKinds: {
      hook: (name) => `Hook ${name}`,
      filter: (name) => `Filtre ${name}`,
      signature: (name) => `Signature (${name})`,
    },
    failed: 'Commit non effectué',
    done: (value, commit) => `Commit ${commit} : ${files(value)}.`,
  },
} satisfies SameWords<typeof english>;
