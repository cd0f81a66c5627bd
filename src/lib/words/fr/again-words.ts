/** The words of running a sub-agent again in a fork, and of its result beside the first, in French. */
import type { againWords as english } from '../again-words.ts';
import type { SameWords } from '../following.ts';

export const againWords = {
  run: 'Relancer…',
  running: 'Demande…',
  hint: 'Relance cet agent, dans une nouvelle conversation où le travail qui précède est copié sans frais. Rien ne démarre avant que vous n’ayez vu ce qu’il reçoit. Ensuite, l’agent principal continue avec le rapport, ce qui coûte. Les fichiers restent tels quels.',
  menu: (agent) => `Plus sur ${agent}`,
  history: 'Ouvrir dans l’historique',
  compare: { first: 'Comparer avec la relance', again: 'Comparer avec la première' },
  of: 'Relance :',
  first: 'la première exécution',
  files: 'les fichiers sont restés tels quels',
  later: 'Relancé',
  open: 'Ouvrir',
  starts: (agent) => `Relancer ${agent} ?`,
  asked: 'Vous l’avez demandé',
  start: 'Démarrer',
  cancel: 'Annuler',
  note: 'Les réglages sont ceux de la première exécution. Les fichiers sont tels qu’à présent, avec ce qu’elle y avait changé. L’agent principal continue avec le rapport, ce qui coûte.',
  gone: 'L’autre exécution n’existe plus',
  sides: { first: 'première', again: 'relance' },
  facts: 'Chiffres',
  ended: 'Fin',
  time: 'Temps',
  tokens: 'Jetons',
  cost: 'Coût',
  same: 'Les deux avaient les mêmes réglages.',
  differ: 'Réglages différents',
  also: (name) => `aussi ${name}`,
} satisfies SameWords<typeof english>;
