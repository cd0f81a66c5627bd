/**
 * Every word that the screens show, in French. The person is "vous"; sentences are short and active. A narrow no-break
 * space (U+202F) stands before ; : ! ? » and after «. One French word for one thing:
 *
 * agent: agent · sub-agent: sous-agent · lead: agent principal · coagent: coagent · composition: composition
 * conversation: conversation · workflow: flux · run: exécution · chain, stage: chaîne, maillon · round: passe · turn: tour
 * step (of a plan): étape · attempt, try: essai · task: tâche · report: rapport · prompt: prompt · handoff: relais
 * approval: approbation · question: question · allow, reject: autoriser, refuser · ask, deny: demander, interdire
 * grant: autorisation · rule: règle · permission: permission · trust: confiance · envelope: enveloppe · outcome: issue
 * model: modèle · provider: fournisseur · endpoint: serveur, adresse du serveur · token: jeton · request: requête
 * context, to compact: contexte, compacter · tool, call: outil, appel · review: relecture · effort: effort
 * file, folder: fichier, dossier · workspace folder: dossier de travail · change: changement · undo, redo: annuler, rétablir
 * fork: branche · history: historique · trash: corbeille · settings: réglages · key store: magasin de clés
 * timeout, time to answer: délai · limit, budget: limite, budget · stop, cancelled: arrêter, arrêté · resume: reprendre
 * extend: prolonger · queue: file d’attente · to fold: replier · demo: démo
 */
import { visibleText } from '#contract/visible-text.ts';
import type { Words } from '../english.ts';
import { againWords } from './again-words.ts';
import { agentsWords } from './agents-words.ts';
import { askWords } from './ask-words.ts';
import { attentionWords } from './attention-words.ts';
import { copyWords } from './copy-words.ts';
import { callWords } from './call-words.ts';
import { changesWords } from './changes-words.ts';
import { composerWords } from './composer-words.ts';
import { connection } from './connection-words.ts';
import { contextWords } from './context-words.ts';
import { decisionWords } from './decision-words.ts';
import { flowWords } from './flow-words.ts';
import { foldedCalls } from './fold-words.ts';
import { grantWords } from './grant-words.ts';
import { historyWords, menuWords, trashWords } from './history-words.ts';
import { inboxWords } from './inbox-words.ts';
import { mayWords } from './may-words.ts';
import { jsonWords, mcpWords } from './mcp-words.ts';
import { permissionsWords } from './permissions-words.ts';
import { replayWords } from './replay-words.ts';
import { reviewWords } from './review-words.ts';
import { riskLevels, riskOf } from './risk-words.ts';
import { rulesWords } from './rules-words.ts';
import { saidWords } from './said-words.ts';
import { advice, de, plural } from './sentences.ts';
import { securityWords, settingsPageWords } from './settings-page-words.ts';
import { settingsSearchWords } from './settings-search-words.ts';
import { exampleTasks, firstRunWords } from '../first-run/french.ts';
import { demoWords, settingsWords } from './settings-words.ts';
import { shellWords, sidebarWords, stopReceipt } from './shell-words.ts';
import { stageWords } from './stage-words.ts';
import { turnWords } from './turn-words.ts';
import { usageWords, workWords } from './work-words.ts';

export const french = {
  again: againWords,
  copies: copyWords,
  security: securityWords,
  product: 'Triad',
  windowTitle: (page, waiting) =>
    `${waiting > 0 ? `(${waiting}) ` : ''}${page === '' ? 'Triad' : `${visibleText(page)} – Triad`}`,
  phases: {
    queued: 'en file d’attente',
    waiting: 'vous attend',
    running: 'en cours',
    withdrawn: 'retiré',
    completed: 'terminé',
    partial: 'partiel',
    cancelled: 'arrêté',
    rejected: 'refusé',
    timed_out: 'délai dépassé',
    budget_exceeded: 'budget épuisé',
    refused: 'décliné',
    error: 'erreur',
    interrupted: 'interrompu',
  },
  calls: {
    writing: 'en écriture',
    waiting: 'vous attend',
    pending: 'en file d’attente',
    running: 'en cours',
    completed: 'terminé',
    error: 'erreur',
    cancelled: 'arrêté',
    interrupted: 'interrompu',
  },
  kinds: {
    lead: 'principal',
    spawn: 'lancé',
    delegate: 'délégué',
    parallel: 'parallèle',
    chain: 'maillon de chaîne',
    coagent: 'coagent',
  },
  riskOf,
  riskLevels,
  remarks: {
    cancelled: 'Arrêté',
    doom_loop: 'Se répète',
    max_iterations: 'Limite de tours atteinte',
    budget: 'Budget épuisé',
    extended: 'Prolongé',
    retried: 'Nouvel essai',
    resumed: 'Repris',
    review: 'Relecture',
    forked: 'Branche créée ici : la suite ne fait pas partie de cette conversation',
  },
  advice,
  colon: ' :',
  semicolon: ' ; ',
  close: 'Fermer',
  skip: 'Aller à la page',
  retry: 'Réessayer',
  loading: 'Chargement…',
  none: 'aucun',
  show: 'Afficher',
  hide: 'Masquer',
  loadMore: 'Charger plus',
  showMore: (more, rest, all) => (more === rest ? `Tout afficher (${all})` : `Afficher ${more} de plus sur ${all}`),
  connection,
  refusal: {
    title: 'Ce navigateur n’est pas admis',
    why: {
      stranger: 'Triad ne connaît pas sa clé : il ne s’est jamais connecté à cette adresse, ou a été déconnecté.',
      token: 'L’adresse que vous avez ouverte a déjà servi. Elle ne marche qu’une fois.',
      storage:
        'Il ne conserve pas de clé pour cette page (IndexedDB), et Triad admet un navigateur par une clé qu’il conserve.',
      worker:
        'Un autre programme qui a utilisé cette adresse pouvait lire cette page. Son service worker a été supprimé.',
    },
    remedy: {
      stranger:
        'Ouvrez l’adresse que Triad a affichée dans son terminal. Elle ne marche qu’une fois : pour une nouvelle, arrêtez-y Triad (Ctrl-C) et relancez-le.',
      token:
        'Pour une nouvelle, arrêtez Triad dans son terminal (Ctrl-C), relancez-le, et ouvrez l’adresse qu’il affiche.',
      storage:
        'Quittez la fenêtre privée ou permettez à cette page de conserver des données, ou prenez un autre navigateur ; puis ouvrez l’adresse que Triad a affichée dans son terminal. Elle n’a pas servi.',
      worker: 'Arrêtez Triad dans son terminal (Ctrl-C), relancez-le, et ouvrez l’adresse qu’il affiche.',
    },
  },
  usage: usageWords,
  sidebar: sidebarWords,
  inbox: inboxWords,
  permissions: permissionsWords,
  rules: rulesWords,
  chat: {
    message: 'Message',
    image: 'Une image que vous avez envoyée',
    placeholder: (agent) => `Que doit faire ${agent === 'lead' ? 'l’agent principal' : agent} ?`,
    placeholderQueued: 'Écrivez le message suivant : il attend que l’agent principal ait fini',
    send: 'Envoyer',
    hint: 'Entrée envoie · Maj+Entrée passe à la ligne',
    queued: 'En file d’attente',
    unqueue: 'Retirer de la file',
    queuedHint: 'Démarre quand le message précédent est traité',
    you: 'Vous',
    jump: 'Aller au plus récent',
    earlier: 'Afficher les messages précédents',
    stopReply: 'Arrêter la réponse',
    stopWorkflow: 'Arrêter le flux',
    stopAgent: 'Arrêter cet agent',
    notSent: 'Non envoyé',
    missing: 'Cette conversation n’existe pas',
    missingHint: 'Elle a peut-être été supprimée, ou l’adresse est incomplète.',
    home: 'Commencer une nouvelle conversation',
    loadFailed: 'Impossible d’ouvrir cette conversation',
    log: 'Conversation',
    messages: 'Messages',
    workflowLabel: (prompt) => `Flux : ${prompt}`,
    folder: 'Dossier',
    lead: 'Agent principal',
    thinking: 'Réflexion',
    thought: 'Réflexion',
    cutAfterCalls: (calls) =>
      `La réponse a été coupée ici. La suite est perdue${calls.length > 0 ? `, avec les appels commencés (${calls.join(', ')})` : ''} ; le modèle en est informé.`,
    cutOff: 'Coupé ici : cette partie a été interrompue et n’est pas envoyée au modèle.',
    responding: 'En attente du modèle…',
    engineRemark: 'Triad à l’agent',
    copy: 'Copier',
    insert: 'Insérer dans un fichier…',
    insertHint:
      'Le met dans votre message, où vous nommez le fichier. L’agent principal l’écrit ensuite, et demande comme toujours.',
    copied: 'Copié',
    notCopied: 'Le navigateur n’a pas permis la copie : sélectionnez et copiez à la main',
    prompt: 'Prompt',
    interrupted: 'Interrompu',
    resume: 'Reprendre',
    resuming: 'Reprise…',
    interruptedKept: (done, all) =>
      `${all > 0 ? `${done} sur ${plural(all, 'sous-agent', 'sous-agents')} ${done > 1 ? 'ont' : 'a'} terminé. ` : ''}« Reprendre » continue après la dernière étape terminée.`,
    detailsOf: 'Ouvrir dans l’historique',
  },
  composer: composerWords,
  empty: {
    heading: 'Un agent principal, jusqu’à trois sous-agents, et vous qui décidez',
    steps: [
      'Dites ce que vous voulez. L’agent principal travaille dans le dossier ci-dessous.',
      'Avant qu’il lance un sous-agent ou écrive un fichier, vous êtes interrogé, avec tout ce que celui-ci recevrait, sauf si un mode, une règle ou une de vos autorisations le permet.',
      'Suivez ici chaque sous-agent en direct, et retrouvez tout ce qui s’est passé dans l’historique.',
    ],
    examples: exampleTasks,
    examplesLabel: 'Quelques idées',
  },
  call: {
    arguments: 'Arguments',
    output: 'Sortie',
    changes: 'Changements',
    noChanges: 'Rien ne change.',
    noOutput: 'Pas encore de sortie',
    image: 'L’image qui a été lue',
    loadingImage: 'Chargement de l’image',
    undo: (files) => (files === 1 ? 'Annuler' : `Annuler dans ${files} fichiers`),
    redo: (files) => (files === 1 ? 'Rétablir' : `Rétablir dans ${files} fichiers`),
    undone: 'annulé',
    writing: (units) => `écrit les arguments, ${plural(units, 'caractère', 'caractères')}`,
    ...callWords,
  },
  agent: {
    background: 'en arrière-plan',
    report: 'Rapport complet',
    hideReport: 'Masquer le rapport',
    reportOf: (agent) => `rapport ${de(agent)}`,
    said: (words) => `ce qu’il a dit, « ${words} »`,
    transcript: 'Transcription',
    answer: 'Répondre',
    model: 'Modèle',
    noTranscript: 'Cette exécution n’a encore rien dit.',
    loadFailed: 'Impossible de charger la transcription',
    notStarted: 'Il n’a pas été démarré.',
    notYet: 'Il n’a pas encore démarré.',
  },
  approval: {
    itemOf: (item, items) => `${item} sur ${items} de ce lot`,
    timeout: (time) => `Sans réponse, ce sera non, dans ${time}.`,
    timeoutAllows: (time) =>
      `Sans réponse, ce sera oui, dans ${time}, si quelqu’un pouvait alors répondre ; sinon non.`,
    asleep: 'Son flux a été interrompu : votre réponse le reprend.',
    list: 'Questions en attente',
    allowAll: (value) => `Autoriser les ${value}`,
    allowAllHint: 'Tout ce lot, chacun tel que dans son formulaire',
    allow: 'Autoriser une fois',
    reject: 'Refuser',
    reason: 'Motif',
    reasonHint: 'facultatif, transmis à l’agent',
    dismiss: 'Fermer : la question reste ouverte',
    edited: 'modifié',
    reset: 'Annuler les modifications',
    sending: 'Envoi…',
    announce: (agent, title) => `Question de ${visibleText(agent)} : ${visibleText(title)}`,
    from: (chain) => `Demandé par ${chain.slice(1).join(' › ')}`,
    during: (message) => `pendant « ${message} »`,
    prompt: 'Prompt',
    systemPrompt: 'Prompt système',
    agent: 'Agent',
    model: 'Modèle',
    modelOther: 'Autre identifiant de modèle…',
    modelId: 'Identifiant du modèle',
    maxTokens: 'Jetons max. par réponse',
    maxIterations: 'Tours max.',
    maxTotalTokens: 'Budget : jetons en tout',
    maxCost: 'Budget : dollars US',
    maxMinutes: 'Budget : minutes',
    cut: 'Réduit',
    repeats: 'Répétitions',
    repeatsFact: (threshold) => `prévenu après ${threshold} appels identiques, arrêté après ${2 * threshold}`,
    unbounded: 'sans limite',
    budget: 'Budget',
    inactivity: 'Délai d’inactivité (secondes)',
    silence: 'Délai d’inactivité',
    hash: 'Empreinte (SHA-256)',
    temperature: 'Température',
    effort: 'Effort',
    effortDefault: 'par défaut',
    tools: 'Outils',
    mcp: 'Serveurs MCP',
    permissions: 'Permissions',
    mode: 'Mode d’approbation',
    folder: 'Dossier',
    provider: 'Fournisseur',
    stages: 'Maillons suivants',
    whoWorks: 'Qui travaille',
    worst: (most) => `En tout ${most}`,
    asAsked: 'avant vos modifications',
    takenToo: (agent, tools) => `Retirés aussi à ${agent} (${tools.join(', ')})`,
    reports: 'Rapports des autres',
    seesReports: 'peut chercher dans ceux de ce flux',
    seesNoReports: 'n’en voit aucun',
    definition: 'Définition',
    temporary: 'agent temporaire, créé par l’agent principal',
    limits: 'Limites',
    tool: 'Outil',
    path: 'Chemin',
    content: 'Contenu',
    command: 'Commande',
    arguments: 'Arguments (JSON)',
    otherArguments: 'Autres arguments (JSON)',
    diffIsOriginal: 'Les changements ci-dessus sont ceux demandés ; c’est ce que vous avez modifié qui sera écrit.',
    notJson: (why) => `Ce n’est pas du JSON : ${why}`,
    creates: 'nouveau fichier',
    changes: (added, removed) => `+${added} −${removed}`,
    alwaysGranted: 'Toujours accordés',
    permissionsFollow: 'découlent des outils',
    permissionsAnew: 'comme demandé ; recalculées d’après les outils que vous avez cochés',
    fields: {
      prompt: 'Le prompt',
      systemPrompt: 'Le prompt système',
      model: 'Le modèle',
      maxTokens: 'Le nombre de jetons par réponse',
      maxIterations: 'Le nombre de tours',
      inactivityMs: 'Le délai d’inactivité en secondes',
      tokens: 'Le budget de jetons',
      costUsd: 'Le budget en dollars',
      minutes: 'Le budget en minutes',
      approvalMode: 'Le mode d’approbation',
      effort: 'L’effort',
      tools: 'La liste des outils',
    },
    problems: {
      tooBig: (bound) => `ne peut pas dépasser ${bound}`,
      notMore: (bound) => `doit être supérieur à ${bound}`,
      tooSmall: (bound) => `doit être d’au moins ${bound}`,
      tooLong: (bound) => `ne peut pas dépasser ${bound} caractères`,
      empty: 'est vide',
      noNumber: 'doit être un nombre entier',
    },
    description: 'Description',
    facts: 'Autres réglages',
    heading: 'Titre et place',
    unseen: 'Pour autoriser, voyez d’abord la fin de :',
    showRest: (current, all) => `Afficher la suite (${current} sur ${all})`,
    showing: (label) => `Affiché : ${label}`,
    tooSoon: 'Trop tôt après l’affichage. Appuyez encore une fois.',
    writingReason: 'Vous écrivez un motif de refus. Appuyez d’abord sur Échap, puis autorisez.',
    inField: 'Ce champ ne prend pas de réponse. Quittez-le avec Tab, puis appuyez encore une fois.',
    noReply: 'Choisissez ou écrivez d’abord une réponse, ou passez.',
    onlyOne: 'Aucun lot à autoriser d’un coup. Utilisez Autoriser une fois.',
    openFirst: (label) => `Dépliez et lisez d’abord : ${label}`,
    focusMoved: 'La question a maintenant le focus. Appuyez encore une fois pour y répondre.',
    nothingWaits: 'Aucune question en attente. Écrivez un message pour continuer.',
    stillWorking: 'Rien à autoriser pour l’instant : les agents travaillent.',
    allWaits: (items) => `Pour autoriser les ${items}, voyez d’abord la fin de :`,
    unseenElsewhere: (items) => `Pour autoriser les ${items}, voyez aussi la fin de :`,
    unseenOf: (agent, label) => `${agent} : ${label}`,
    hidden: ({ hidden, mixed, gaps }) => {
      const found = [
        ...(hidden > 0 ? [plural(hidden, 'caractère invisible', 'caractères invisibles')] : []),
        ...(mixed > 0 ? [plural(mixed, 'mot d’écritures mêlées', 'mots d’écritures mêlées')] : []),
        ...(gaps > 0 ? [plural(gaps, 'longue plage vide', 'longues plages vides')] : []),
      ];
      return `Contient ${found.join(', ')}. Avec des marques :`;
    },
  },
  agents: agentsWords,
  ask: askWords,
  attention: attentionWords,
  flow: flowWords,
  grant: grantWords,
  may: mayWords,
  mcp: mcpWords,
  json: jsonWords,
  changes: changesWords,
  context: contextWords,
  decide: decisionWords,
  review: reviewWords,
  decision: {
    verdict: (kind, { outcome, allowed }) => {
      if (outcome === 'cancelled') return 'Arrêté';
      if (kind === 'control-files') return allowed ? 'Gardés' : 'Remis';
      if (kind === 'limit') return allowed ? 'Prolongé' : 'Terminé';
      if (!allowed) return 'Refusé';
      return kind === 'questions' ? 'Répondu' : 'Autorisé';
    },
    open: 'En attente d’une réponse',
    edited: 'modifié',
    by: { person: 'par vous', rule: 'par une règle', timeout: 'sans réponse à temps', cancel: 'exécution arrêtée' },
    before: 'Demandé',
    after: 'Approuvé',
    reason: 'Motif',
  },
  history: historyWords,
  replay: replayWords,
  trash: trashWords,
  menu: menuWords,
  turn: turnWords,
  stage: stageWords,
  work: workWords,
  settings: settingsWords,
  settingsPage: settingsPageWords,
  settingsSearch: settingsSearchWords,
  firstRun: firstRunWords,
  demo: demoWords,
  shell: shellWords,
  folds: foldedCalls,
  said: saidWords,
  stopped: stopReceipt,
} satisfies Words;
