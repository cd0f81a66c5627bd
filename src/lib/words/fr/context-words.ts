/** Words of the panel that says what a conversation's lead is told, in French. */
import type { contextWords as english } from '../context-words.ts';
import type { SameWords } from '../following.ts';
import { plural } from './sentences.ts';

export const contextWords = {
  title: 'Contexte',
  close: 'Fermer le contexte',
  failed: 'Impossible de lire ce que l’agent principal reçoit',
  told: 'Le projet dit à l’agent principal',
  path: (path, cut) => (cut ? `${path} (le début)` : path),
  none: 'Rien : il n’y a ici ni AGENTS.md ni CLAUDE.md, ou aucun n’a votre confiance.',
  from: 'D’après les fichiers actuels : votre prochain message les aura. Ils n’autorisent rien.',
  waiting: (count) =>
    `${plural(count, 'fichier attend', 'fichiers attendent')} votre confiance, sans être transmis d’ici là`,
  look: 'Examiner et faire confiance',
  gauge: {
    label: 'Contexte de l’agent principal',
    of: (used, window) => (window === null ? `${used} en contexte` : `${used} sur ${window}`),
    says: (used, window, compactAt) =>
      `Sa dernière requête et la réponse faisaient ${used} jetons${window === null ? '' : ` ; le modèle en lit ${window} au plus`}.${compactAt === null ? '' : ` À partir de ${compactAt}, la partie la plus ancienne est résumée.`}`,
    compact: 'Compacter maintenant',
    compactWhy: 'Résume la partie la plus ancienne pour faire de la place, comme /compact. Cela peut être annulé.',
    now: 'Résumé du contexte en cours…',
    failed: 'Le contexte n’a pas été compacté',
  },
  parts: {
    title: 'Ce qui le remplit',
    failed: 'Impossible de lire ce qui remplit le contexte',
    share: (tokens, percent) => `${tokens} · ${percent === 0 ? 'moins de 1' : percent} %`,
    estimated: (used) =>
      `Estimé d’après la longueur : au total les ${used} jetons laissés par sa dernière requête et la réponse, ou par le compactage fait depuis.`,
    kinds: {
      system: 'Prompt système',
      tools: 'Outils',
      summary: 'Résumé de ce qui a été compacté',
      messages: 'Vos messages',
      answers: 'Réponses et appels',
      results: 'Résultats des appels',
      remarks: 'Remarques du programme',
    },
    why: {
      system: 'Qui il est et comment il travaille, avec ce que le projet lui dit',
      tools: 'Ce que fait et prend chaque outil',
      summary: 'Remplace la partie la plus ancienne ; ce que vous avez dit et décidé y est mot pour mot',
      messages: 'Avec les images et les fichiers joints',
      answers: 'Tout ce qu’il a écrit et pensé, et ce qu’il a appelé',
      results: 'Ce qu’il a lu, ce que les commandes ont affiché et les rapports de ses sous-agents',
      remarks: 'Aussi les rapports des sous-agents qui ont continué en arrière-plan',
    },
  },
  compaction: {
    line: (before, after, auto) => `Contexte compacté${auto ? '' : ' par vous'} : ${before} → ${after} jetons`,
    undone: 'annulé',
    undo: 'Annuler',
    redo: 'Compacter à nouveau',
    undoFailed: 'Le compactage n’a pas pu être modifié',
    kept: 'Conservé mot pour mot, tel que l’agent le lit',
  },
} satisfies SameWords<typeof english>;
