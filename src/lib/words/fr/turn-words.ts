/** The words of what can be done with a single message, in French: copying it, going on from it elsewhere, sending it once more. */
import type { SameWords } from '../following.ts';
import type { turnWords as english } from '../turn-words.ts';

export const turnWords = {
  own: 'Votre message',
  answer: 'La réponse',
  actions: (what, title) => `${what} : ${title}`,
  copy: 'Copier',
  copied: 'Copié',
  link: 'Copier le lien',
  copyMarkdown: 'Copier en Markdown',
  edit: 'Modifier et renvoyer',
  editHint:
    'Modifier et renvoyer : dans une nouvelle conversation qui s’arrête avant ce message. Les fichiers restent tels quels ; seule la nouvelle réponse coûte.',
  fork: 'Créer une branche ici',
  forkBefore:
    'Créer une branche ici : une nouvelle conversation qui s’arrête avant ce message, lequel y attend d’être envoyé. Les fichiers restent tels quels ; rien ne coûte avant l’envoi.',
  forkAfter:
    'Créer une branche ici : une nouvelle conversation qui s’arrête à cette réponse. Les fichiers restent tels quels ; rien ne coûte avant que vous n’écriviez.',
  retry: 'Réessayer',
  retryHint:
    'Réessayer : renvoie votre message, dans une nouvelle conversation qui s’arrête avant lui. Les fichiers restent tels quels ; seule la nouvelle réponse coûte.',
  editing: 'Modifier votre message',
  send: 'Envoyer dans une branche',
  cancel: 'Annuler',
  files: 'Il va dans une nouvelle conversation qui s’arrête avant ce message. Les fichiers restent tels quels.',
  notSent: (why) => `La branche est créée, mais votre message n’est pas parti : ${why}`,
  forkOf: (title, { step, entry = step?.entry, message }) =>
    entry === undefined && message === undefined
      ? `Branche de « ${title} »`
      : `${entry === undefined ? `Message ${message}` : `Étape ${entry}`} de « ${title} » (branche)`,
  from: {
    before: 'Branche issue de',
    untitled: 'une autre conversation',
    files: 'Jusqu’ici c’est une copie ; la branche n’a changé aucun fichier.',
    empty: 'Elle commence avant le premier message de celle-ci ; la branche n’a changé aucun fichier.',
  },
  isFork: 'Branche :',
  taken: 'compté dans la conversation d’origine',
  takenIn: 'Ceci est une copie, reprise à la création de la branche.',
  original: 'Ouvrir l’original',
  forked: ({ end, step, upTo = step?.entry }) =>
    upTo !== undefined
      ? `Branche créée à l’étape ${upTo} de ceci`
      : step
        ? 'Branche créée pour relancer un sous-agent'
        : end === 'before'
          ? 'Branche créée avant ceci'
          : 'Branche créée après ceci',
  openFork: 'Ouvrir la branche',
  changedThere: 'Changé dans la conversation d’où vient cette branche : c’est là que cela s’annule.',
  replyEnd: {
    completed: 'Réponse terminée',
    partial: 'Réponse incomplète',
    cancelled: 'Réponse arrêtée',
    rejected: 'Réponse refusée',
    timed_out: 'Réponse hors délai',
    budget_exceeded: 'Réponse terminée à sa limite',
    refused: 'Le modèle a refusé de répondre',
    error: 'Échec de la réponse',
    interrupted: 'Réponse interrompue',
  },
} satisfies SameWords<typeof english>;
