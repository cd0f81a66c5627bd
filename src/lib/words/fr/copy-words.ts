/** The words of forks at a step, and of what one copies, in French. */
import type { copyWords as english } from '../copy-words.ts';
import type { SameWords } from '../following.ts';

export const copyWords = {
  mark: 'copié, 0 $',
  paid: 'Fait, et payé, là d’où vient la branche : rien n’a été demandé ni exécuté de nouveau ici.',
  open: (mark) => `${mark} : ouvrir là où cela a été fait`,
  fork: {
    open: 'Créer une branche ici',
    title: 'Créer une branche à cette étape',
    goOn: 'Continuer d’ici',
    goOnWhy:
      'Une nouvelle conversation qui continue d’elle-même. Ce qui a été fait jusqu’ici, et les sous-agents lancés jusqu’ici qui ont terminé, sont copiés : sans frais, et sans être redemandés. La suite coûte ; ce qui démarre attend votre oui. Les fichiers restent tels quels.',
    goOnLine: 'Continue d’elle-même : ce qui était terminé est copié, le reste coûte. Les fichiers restent.',
    write: 'Créer une branche et écrire',
    writeWhy:
      'Une nouvelle conversation qui s’arrête ici. Rien ne démarre ni ne coûte avant que vous n’écriviez. Les fichiers restent tels quels.',
  },
  wentOn: (step) =>
    step === undefined
      ? 'La suite relance un sous-agent ; les fichiers sont restés tels quels.'
      : `La suite continue à partir de l’étape ${step} de celle-ci ; les fichiers sont restés tels quels.`,
} satisfies SameWords<typeof english>;
