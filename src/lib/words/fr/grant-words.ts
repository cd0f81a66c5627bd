/** The words of a yes for more than once, and of the second step before what cannot be undone, in French. */
import type { SameWords } from '../following.ts';
import type { grantWords as english } from '../grant-words.ts';

export const grantWords = {
  more: 'Plus d’une fois…',
  heading: 'Ne plus être interrogé',
  for: 'Pour',
  scopes: { workflow: 'ce flux', conversation: 'cette conversation', project: 'ce projet, toujours' },
  who: (agent, tool) =>
    tool === 'delegate_task'
      ? `${agent} peut lancer, un seul à la fois et non dans un lot, sans qu’un autre agent le puisse, selon ce motif.`
      : `${agent} peut utiliser ${tool}, sans autre agent ni outil, sur ce motif.`,
  pattern: 'Motif',
  patternHint: '* remplace une partie de nom, ** des dossiers quelconques',
  minutes: 'Fin après (minutes)',
  calls: 'Fin après (appels)',
  endless: 'sans fin',
  matches: (names, more, isAsked) =>
    names.length === 0
      ? isAsked
        ? 'Il ne correspond qu’à ce fichier.'
        : 'Il ne correspond à aucun fichier qui existe.'
      : `Il correspond à présent à ${names.join(', ')}${more ? ' et d’autres' : ''}.`,
  allow: {
    workflow: 'Autoriser dans ce flux',
    conversation: 'Autoriser dans cette conversation',
    project: 'Toujours autoriser pour ce projet',
  },
  irreversible: 'Cela ne peut pas être annulé.',
  saidIrreversible: 'Son agent dit que cela ne peut pas être annulé.',
  confirm: 'Autoriser l’irréversible',
  back: 'Retour',
  given: (sentence, scope) => `Autorisé pour ${scope} : ${sentence}`,
} satisfies SameWords<typeof english>;
