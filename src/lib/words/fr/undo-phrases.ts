/** Why something is not undone, or not done again, in French. None ends in a stop. */
import type { UNDO } from '#contract/approvals/undo-phrases.ts';
import type { SameWords } from '../following.ts';
import { plural } from './sentences.ts';

export const undoPhrases = {
  removed_since: () => 'Il a été supprimé depuis',
  made_again: () => 'Il a été recréé depuis',
  changed_since_made: () => 'Il a été modifié depuis sa création',
  other_kind: () => 'Autre chose se trouve là depuis',
  change_in_the_way: () => 'Ce qui a été modifié depuis s’y oppose',
  folder_is_link: ({ folder }) => `Le dossier ${folder} est un lien à présent`,
  folder_is_there: ({ path }) => `Un dossier se trouve là depuis, et contient ${path}`,
  other_folder: () => 'Il est dans un autre dossier que le dernier changement : annulez-le séparément',
  undone_together: () => 'Cela a été annulé avec autre chose : rétablissez le tout ensemble',
  nothing_undone: () => 'Rien de cela n’est annulé',
  nothing_kept_of_it: () => 'Rien n’en est conservé : cela n’a rien changé qui puisse être annulé',
  folder_gone: ({ folder }) => `Le dossier ${folder} n’existe plus`,
  command_works: ({ folder }) =>
    `La commande d’un agent travaille dans ${folder} : attendez qu’elle finisse, ou arrêtez-la`,
  changed_meanwhile: ({ path }) => `${path} a été modifié depuis`,
  in_the_way: ({ path }) => `${path} : `,
  none_done: ({ more, redo, kept }) =>
    `${more > 0 ? ` ; de même pour ${plural(more, 'autre fichier', 'autres fichiers')}` : ''}. Rien n’a été ${redo ? 'rétabli' : 'annulé'}` +
    (kept === null ? '' : ` ; ce qu’il contenait ${redo ? 'alors' : 'avant'} est conservé dans ${kept}`),
} satisfies SameWords<typeof UNDO>;
