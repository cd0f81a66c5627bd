/** The words about what agents ask in their own words, and about what the person asks back, in French. */
import type { askWords as english } from '../ask-words.ts';
import type { SameWords } from '../following.ts';

export const askWords = {
  questions: 'Questions',
  action: 'Ce qu’il veut faire',
  why: 'Pourquoi',
  impact: 'Ce que cela change',
  actionHint: 'Un oui le laisse continuer. Il n’autorise à lui seul aucun de ses appels d’outils.',
  controlFiles: {
    keep: 'Garder les changements',
    putBack: 'Remettre…',
    putBackNow: 'Remettre',
    change: { added: 'nouveau', changed: 'changé', removed: 'supprimé' },
    noContent: 'Son contenu ne peut pas être montré : ce n’est pas du texte, ou il est trop long.',
  },
  other: 'Autre chose',
  words: 'Votre réponse',
  multiple: 'autant que vous voulez',
  send: 'Envoyer les réponses',
  sendOne: 'Envoyer la réponse',
  skip: 'Passer',
  skipAll: 'Tout passer',
  sendHint: 'Ce qui reste vide est passé : l’agent décide lui-même.',
  timeout: (time) => `Sans réponse, l’agent continue sans elle, dans ${time}.`,
  back: (agent) => `Interroger ${agent} d’abord`,
  backHint: 'Que voulez-vous savoir avant de décider ?',
  ask: 'Demander',
  asking: (agent) => `${agent} répond…`,
  you: 'Vous',
  cost: 'Il répond d’après ce qu’il sait, par une requête à son modèle. La question reste ouverte, et son délai est suspendu.',
  skipped: 'passée',
} satisfies SameWords<typeof english>;
