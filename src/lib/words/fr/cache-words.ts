/** The words of forks at a step, and of the steps that one takes from its cache, in French. */
import type { cacheWords as english } from '../cache-words.ts';
import type { SameWords } from '../following.ts';

export const cacheWords = {
  mark: 'du cache, 0 $',
  paid: 'Fait, et payé, là d’où vient la branche : rien n’a été demandé ni exécuté de nouveau ici.',
  open: (mark) => `${mark} : ouvrir là où cela a été fait`,
  fork: {
    open: 'Créer une branche ici',
    title: 'Créer une branche à cette étape',
    goOn: 'Continuer d’ici',
    goOnWhy:
      'Une nouvelle conversation qui continue d’elle-même. Ce qui a été fait jusqu’ici vient du cache, sans frais ; la suite est demandée de nouveau et coûte, et ce qui démarre attend votre oui. Les fichiers restent tels quels.',
    write: 'Créer une branche et écrire',
    writeWhy:
      'Une nouvelle conversation qui s’arrête ici. Rien ne démarre ni ne coûte avant que vous n’écriviez. Les fichiers restent tels quels.',
  },
  at: 'Branche créée à une étape de ceci',
  wentOn: 'La suite continue à partir d’une étape de celle-ci ; les fichiers sont restés tels quels.',
} satisfies SameWords<typeof english>;
