/** The words of the ways in which calls are shown, in French. */
import type { callWords as english } from '../call-words.ts';
import type { SameWords } from '../following.ts';
import { plural } from './sentences.ts';

export const callWords = {
  command: 'Commande',
  exitCode: (code) => `code de sortie ${code}`,
  folder: (folder) => (folder === '' ? 'dans le dossier de travail' : `dans ${folder}`),
  took: (time) => `a duré ${time}`,
  reduced: 'Ce qui a été réécrit, ou qu’aucun terminal n’affiche, ne figure que dans le texte.',
  edited: 'modifié par vous',
  asText: 'Afficher le texte',
  asView: 'Afficher mis en forme',
  showAll: {
    lines: (value) => `Tout afficher (${plural(value, 'ligne', 'lignes')})`,
    hits: (value) => `Tout afficher (${plural(value, 'occurrence', 'occurrences')})`,
    paths: (value) => `Tout afficher (${plural(value, 'entrée', 'entrées')})`,
  },
  showFewer: 'Afficher moins',
  diff: { wraps: 'Renvoi à la ligne', besides: 'Côte à côte' },
  hits: 'Occurrences',
  hitColumns: { line: 'Ligne', text: 'Texte' },
  paths: 'Entrées',
  found: 'Pages trouvées',
} satisfies SameWords<typeof english>;
