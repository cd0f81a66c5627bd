/** The words of a workflow's lanes, in French: its time by cause, its axis, its bars and what they open. */
import { tallyOf, tokenPartsOf } from '#domain/tally.ts';
import { clockTime, count, duration, oneDecimal, shortDuration } from '#lib/view/format.ts';
import type { SameWords } from '../following.ts';
import type { timelineWords as english } from '../timeline-words.ts';
import { que } from './sentences.ts';
import { usageWords } from './work-words.ts';

const causes = {
  person: 'à vous attendre',
  rate: 'pour le fournisseur, surchargé',
  retry: 'avant un nouvel essai',
  limit: 'pour la limite du fournisseur',
  queue: 'en file d’attente',
  idle: 'sans rien en cours',
} as const;

export const timelineWords = {
  title: 'Temps de chaque agent',
  causes,
  work: (ms) => `${shortDuration(ms)} de travail`,
  waited: (cause, ms) => `${shortDuration(ms)} ${causes[cause]}`,
  spent: 'Emploi du temps',
  trueTime: 'Durée entière',
  trueTimeWhy: 'Montre l’attente dans toute sa durée, au lieu de la replier',
  folded: (what) => `Replié : ${what}`,
  zoomIn: 'Agrandir',
  zoomOut: 'Réduire',
  zoomAll: 'Tout afficher',
  zoomHint: 'Ctrl et la molette zooment, glisser déplace, + − 0 au clavier.',
  tick: (ms) => {
    if (ms < 60_000) return `${ms % 1000 === 0 ? ms / 1000 : oneDecimal(ms / 1000)} s`;
    return clockTime(ms);
  },
  legend: 'Ce que montrent les barres',
  firstToken: 'jusqu’au premier jeton',
  cachedShare: 'part de son entrée venue du cache',
  track: (agent) => `Ce ${que(agent)} a fait et quand`,
  trackHint: 'Les flèches vont de barre en barre et d’agent en agent ; Entrée en ouvre une.',
  noBars: 'rien en vue',
  model: (took, request) => {
    if (!request) return `modèle, ${took}`;
    const { firstTokenMs } = request;
    const facts = [
      `modèle, ${took}`,
      ...(firstTokenMs === null ? [] : [`premier jeton après ${duration(firstTokenMs)}`]),
      usageWords.parts(tokenPartsOf(tallyOf(request))),
      ...(request.error ? [`échec : ${request.error.code}`] : []),
    ];
    return facts.join(' ; ');
  },
  panel: {
    close: 'Fermer',
    model: 'Requête au modèle',
    tools: 'Appel d’outil',
    mcp: 'Appel d’un serveur MCP',
    wait: 'Question',
    queue: 'En file d’attente',
    of: (agent) => `par ${agent}`,
    at: 'Début',
    after: (span_) => `${span_} après le début`,
    took: 'Durée',
    modelName: 'Modèle',
    turn: 'Tour',
    turnOf: (turn, attempt) => (attempt > 1 ? `${turn}, essai ${attempt}` : String(turn)),
    purpose: 'Demandée pour',
    firstToken: 'Premier jeton après',
    generation: 'Puis a écrit pendant',
    fresh: 'Entrée, nouvelle',
    cached: 'Entrée, du cache',
    written: 'Entrée, mise en cache',
    output: 'Sortie',
    tokens: (value, estimated) => `${estimated ? '≈ ' : ''}${count(value)} jetons`,
    cost: 'Coût',
    end: 'Fin',
    told: 'Ce qu’il a reçu en dernier',
    results: (names) => `Résultats de ${names}`,
    answer: 'Sa réponse',
    noAnswer: 'Sa réponse ne fait pas partie de la transcription.',
    started: 'Exécutions qu’il a lancées',
    queued: 'Il attendait une place, ou la fin du travail précédent.',
    gone: 'Cela ne fait plus partie du flux.',
    files: 'Fichiers',
    noFiles: 'Aucun fichier n’a changé dans ce flux.',
  },
} satisfies SameWords<typeof english>;
