/** The words about work in progress, in French: plans, bounds, waiting, further attempts, what was saved of a run; and what work used. */
import { tokens } from '#lib/view/format.ts';
import type { SameWords } from '../following.ts';
import type { usageWords as englishUsage, workWords as english } from '../work-words.ts';
import { plural } from './sentences.ts';

export const usageWords = {
  sum: (value) => `${value} jetons`,
  parts: ({ input, classes, output, estimated }) => {
    const inputs = classes
      ? `${tokens(classes.fresh)} nouveaux, ${tokens(classes.cached)} du cache${classes.written > 0 ? `, ${tokens(classes.written)} mis en cache` : ''}`
      : `${tokens(input)} en entrée`;
    return `${inputs}, ${tokens(output)} en sortie${estimated > 0 ? `, dont ${tokens(estimated)} estimés` : ''}`;
  },
  cached: (percent) => `${percent} % du cache`,
  searches: (value) => plural(value, 'recherche sur le web', 'recherches sur le web'),
  estimated: (value) => `dont ${value} estimés`,
  estimatedWhy: 'Requêtes coupées : le décompte du fournisseur est inconnu',
  costUnknown: 'Coût inconnu : un modèle sans prix a été utilisé',
  costKnown: 'Coût',
  unknownCost: 'coût inconnu',
} satisfies SameWords<typeof englishUsage>;

export const workWords = {
  plan: {
    label: 'Plan',
    progress: (done, all) => `${done} sur ${all}`,
    done: 'Toutes les étapes sont faites',
    states: { pending: 'à faire', in_progress: 'en cours', completed: 'fait' },
    highPriority: 'priorité haute',
  },
  budget: {
    label: 'Part utilisée de ce qui est permis',
    limit: {
      tokens: (of) => plural(of, 'jeton', 'jetons'),
      costUsd: (of) => `${of} $`,
      minutes: (of) => plural(of, 'minute', 'minutes'),
      iterations: (of) => plural(of, 'tour', 'tours'),
    },
    used: {
      tokens: (used, of) => `${used} sur ${of} jetons`,
      costUsd: (used, of) => `${used} sur ${of}`,
      minutes: (used, of) => `${used} sur ${of} min`,
      iterations: (used, of) => `${used} sur ${of} ${of === '1' ? 'tour' : 'tours'}`,
    },
    extend: 'Prolonger',
    extendLabel: 'De combien',
    add: {
      tokens: 'Jetons à ajouter',
      costUsd: 'Dollars à ajouter',
      minutes: 'Minutes à ajouter',
      iterations: 'Tours à ajouter',
    },
    goOn: 'Prolonger et continuer',
    raise: 'Prolonger',
    finish: 'Terminer maintenant',
    stop: 'Arrêter',
    extending: 'Prolongation…',
    cancel: 'Pas maintenant',
    nothing: 'Indiquez combien ajouter dans au moins un champ.',
    kept: 'Tout est conservé jusqu’ici ; avec davantage, le travail reprend de là.',
  },
  wait: {
    since: (time) => time,
    model: 'attend le modèle',
    modelWhy: 'Son fournisseur ne répond qu’à un certain nombre de requêtes à la fois : son tour vient.',
    worked: (time) => `${time} de travail`,
    forYou: (time) => `${time} à vous attendre`,
    behind: (message) => `en file derrière « ${message} »`,
  },
  provider: {
    waiting: 'En attente du fournisseur.',
    nextTry: (time) => `Prochain essai dans ${time}`,
    trying: 'Essai en cours…',
    silent: 'Pas encore de réponse.',
    silentFor: (time) => `En attente depuis ${time}`,
    silentHelp: 'Le modèle travaille peut-être encore. Réessayer renvoie la requête ; les deux peuvent être facturées.',
    tryNow: 'Réessayer maintenant',
    stop: 'Arrêter',
  },
  again: {
    run: 'Réessayer',
    trying: 'Démarrage…',
    message: 'Renvoyer',
  },
  rejected: (reason) => `Refusé par vous${reason === '' ? '' : ` : ${reason}`}`,
  salvage: {
    cancelled: 'Ce qu’il avait quand il a été arrêté',
    timed_out: 'Ce qu’il avait à la fin de son délai',
    budget_exceeded: 'Ce qu’il avait quand son budget s’est épuisé',
    refused: 'Ce qu’il avait quand le modèle a décliné',
    error: 'Ce qu’il avait quand il a échoué',
    interrupted: 'Ce qu’il avait quand il a été interrompu',
  },
  demo: {
    label: 'Démo',
    hint: 'Réponses écrites d’avance, sans modèle ni réseau',
  },
  find: {
    label: 'Rechercher dans cette conversation',
    hint: 'Rechercher',
    next: 'Suivant',
    previous: 'Précédent',
    close: 'Fermer',
    count: (at, all) => (all === 0 ? 'rien trouvé' : `message ${at} sur ${all}`),
    earlier: 'Seuls les messages chargés sont parcourus.',
  },
  steps: {
    earlier: (value) => `Afficher ${plural(value, 'étape précédente', 'étapes précédentes')}`,
    later: (value) => `Afficher ${plural(value, 'étape suivante', 'étapes suivantes')}`,
  },
} satisfies SameWords<typeof english>;
