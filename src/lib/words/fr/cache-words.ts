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
      'Une nouvelle conversation qui continue d’elle-même. Ce qui a été fait jusqu’ici, et les sous-agents qui avaient terminé, même plus tard, viennent du cache : sans frais, et sans être redemandés. Le reste est demandé de nouveau et coûte ; ce qui démarre attend votre oui. Les fichiers restent tels quels.',
    goOnLine: 'Continue d’elle-même : ce qui était terminé vient du cache, le reste coûte. Les fichiers restent.',
    write: 'Créer une branche et écrire',
    writeWhy:
      'Une nouvelle conversation qui s’arrête ici. Rien ne démarre ni ne coûte avant que vous n’écriviez. Les fichiers restent tels quels.',
  },
  wentOn: (step) => `La suite continue à partir de l’étape ${step} de celle-ci ; les fichiers sont restés tels quels.`,
} satisfies SameWords<typeof english>;
