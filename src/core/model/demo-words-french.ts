/** What the demo says, in French. */
import type { DemoWords } from './demo-words.ts';

const number = (value: number): string => value.toLocaleString('fr');
const count = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${Math.abs(value) < 2 ? one : many}`;

const OUTCOMES: Readonly<Record<string, string>> = {
  partial: 'partiel',
  cancelled: 'annulé',
  timed_out: 'temps écoulé',
  budget_exceeded: 'budget dépassé',
  refused: 'refusé par le modèle',
  error: 'erreur',
  interrupted: 'interrompu',
};

export const FRENCH: DemoWords = {
  scripted:
    '**Ceci est la démo : la réponse est écrite d’avance, aucun modèle n’a lu votre message.** Le moteur, les questions, les outils et l’historique sont réels, comme tout ce qui est nommé ici.',
  act: (at, of) => `Démo, acte ${at} sur ${of}.`,
  acts: [
    {
      intent: 'J’examine le dossier, puis je vous demande un sous-agent.',
      asking:
        'Un sous-agent temporaire doit compter les fichiers. **Vous êtes interrogé d’abord** : vous voyez tout son prompt et ses outils ; vous pouvez les changer, dire oui ou dire non.',
      next: 'Envoyez un deuxième message : je confierai une tâche à un agent permanent, qui a sa propre définition.',
    },
    {
      intent: 'J’examine encore le dossier, puis je confie une tâche à un agent permanent.',
      asking:
        'Un agent permanent doit chercher ce qui reste à faire. Il a son propre prompt système ; vous êtes interrogé de nouveau.',
      next: 'Envoyez un troisième message : je demanderai trois sous-agents qui travaillent en même temps.',
    },
    {
      intent:
        'J’examine le dossier, je demande trois sous-agents à la fois, et je propose de noter ce qu’ils rapportent.',
      asking:
        'Trois sous-agents doivent travailler en même temps. Chacun est une question à part : autorisez-les tous, ou certains seulement.',
      next: 'Envoyez un quatrième message : je demanderai trois agents qui travaillent l’un après l’autre à un même rapport.',
    },
    {
      intent: 'J’examine le dossier, puis je demande un rapport à des agents qui se suivent toujours.',
      asking:
        'Un agent doit réunir des faits, un autre en rédiger le rapport, un troisième le vérifier dans les fichiers. **Une seule question** les couvre tous : elle montre chaque maillon.',
      next: 'C’était tout le script. Envoyez encore un message pour savoir comment un modèle répond à sa place.',
    },
  ],
  askedBack:
    'Dans la démo, personne ne peut répondre : le script n’a pas lu votre question. Un modèle dirait ici ce que fait cet appel, pourquoi il est nécessaire et ce qui pourrait être fait d’autre. Rien n’est encore décidé : à vous de dire oui ou non.',
  nothingStarts: 'Aucun sous-agent ne peut démarrer ici : cet acte s’arrête.',
  askingToWrite:
    'Je note ce qui a été rapporté. **Vous êtes interrogé d’abord** : vous voyez le fichier et chacune de ses lignes. Rien d’autre n’est écrit.',
  fileStart: '# Écrit par la démo de Triad\n\nCe que les agents ont rapporté :',
  notWritten: (why) => `Rien n’a été écrit. ${why}`,
  written: (path) =>
    `Le fichier \`${path}\` a été écrit. **Changements** le montre, et **Annuler** l’enlève. Dans un terminal, dans ce dossier, \`triad changes\` dit quelle exécution a changé quoi, et \`triad changes --undo RUN\` l’annule.`,
  end: `La démo a montré ce qu’elle sait faire. Pour qu’un modèle travaille pour vous, ouvrez **Réglages → Fournisseurs et clés**, et collez une clé Anthropic ou indiquez un serveur à vous : Ollama, LM Studio et d’autres sur cette machine sont trouvés d’eux-mêmes. Dans un terminal, mettez \`active = "anthropic"\` sous \`[providers]\` dans \`config.toml\`, et \`ANTHROPIC_API_KEY\`.

Cette conversation reste dans l’historique, avec chaque exécution, chaque question et chaque chiffre. Une nouvelle conversation reprend la démo du début.`,
  prompt: { task: 'Tâche', input: 'Données', output: 'Format attendu', limits: 'Contraintes' },
  part: (name, told) => `**${name}** : ${told}`,
  input: (wanted) => `le dossier de travail. ${wanted}`,
  files: 'Fichiers ',
  lookFor: 'Chercher ',
  reportWanted: 'un rapport en Markdown avec un titre et un `## Résumé`',
  factsWanted: 'une valeur JSON avec `question`, `facts` (chacun un `fact` et sa `source`) et `open`',
  readOnly: 'lecture seule ; ne rien changer.',
  system:
    'Vous êtes un agent temporaire de la démo de Triad. Vous examinez des fichiers et rapportez ce que vous trouvez ; vous ne changez rien.',
  tasks: {
    counting: {
      reason: 'Compter les fichiers du dossier',
      task: 'Compter les fichiers du dossier par extension, et en ouvrir un qui le présente.',
    },
    openEnds: {
      reason: 'Chercher ce qui reste à faire',
      task: 'Trouver ce qui restait à faire dans le code et ses textes.',
    },
    texts: { reason: 'Trouver les textes', task: 'Trouver les textes du dossier et en ouvrir un.' },
    tests: { reason: 'Trouver les tests', task: 'Trouver les fichiers nommés comme des tests, et en ouvrir un.' },
    addresses: {
      reason: 'Trouver les adresses web',
      task: 'Trouver les adresses web que nomment les fichiers du dossier.',
    },
    report: { reason: 'Faire rédiger un rapport', task: 'Que contient ce dossier, et qu’y restait-il à faire ?' },
  },
  begin: (tools) => `Je commence par ${tools}.`,
  and: ' et ',
  worthReading: (path) => `J’ouvre \`${path}\`.`,
  noTool: 'Aucun outil n’a pu servir : il n’y a rien à rapporter.',
  report: (task) => `# Rapport : ${task}`,
  summary: '## Résumé',
  made: '## D’où cela vient',
  how: (calls, tools) =>
    calls === 0
      ? 'De la démo, écrite d’avance : aucun modèle n’a lu le prompt. Aucun outil n’a été appelé.'
      : `De la démo, écrite d’avance : aucun modèle n’a lu le prompt. ${calls === 1 ? 'L’appel d’outil est réel' : `Les ${calls} appels d’outils sont réels`} (${tools}), comme ce qui a été trouvé.`,
  failed: (tool, why) => `\`${tool}\` a échoué : ${why}`,
  emptyFolder: 'Le dossier est vide.',
  entries: (total) => `Le dossier contient ${count(total, 'élément')}.`,
  holds: (folders, files, names) =>
    `Le dossier contient ${[folders > 0 ? count(folders, 'dossier') : '', files > 0 ? count(files, 'fichier') : ''].filter(Boolean).join(' et ')} : ${names}.`,
  more: (names, rest) => (rest > 0 ? `${names} et ${count(rest, 'autre')}` : names),
  noFile: (pattern) => `Aucun fichier ne correspond à \`${pattern}\`.`,
  oneFile: (pattern, name) => `1 fichier correspond à \`${pattern}\` : ${name}.`,
  matching: (total, pattern, first, kinds) =>
    `${count(total, 'fichier correspond', 'fichiers correspondent')} à \`${pattern}\`, par extension${first === null ? '' : ` pour les ${number(first)} premiers`} : ${kinds}.`,
  noEnding: 'sans extension',
  otherEndings: (files) => `${number(files)} avec d’autres`,
  noLine: (pattern) => `Aucune ligne ne correspond à \`${pattern}\`.`,
  lines: (total, isMore, pattern, files, places) =>
    `${isMore ? 'Plus de ' : ''}${count(total, 'ligne correspond', 'lignes correspondent')} à \`${pattern}\`, dans ${count(files, 'fichier')} : ${places}.`,
  emptyFile: (path) => `\`${path}\` est vide.`,
  size: (path, lines, isMore, bytes, heading) =>
    `\`${path}\` a ${isMore ? 'plus de ' : ''}${count(lines, 'ligne')}, ${count(bytes, 'octet')}${heading === null ? '' : ` ; son premier titre est « ${heading} »`}.`,
  didNotWork: (why) => `Cela n’a pas marché : ${why}`,
  saidSo: (words) => `La réponse était : ${words}`,
  someone: 'Sous-agent',
  ofAgent: (agent, sentence) => `- **${agent}** : ${sentence}`,
  itsReport: (seconds, tokens, summary) =>
    `Son rapport (${seconds.toLocaleString('fr', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s, environ ${count(tokens, 'jeton')}) : ${summary}`,
  itsReportAlone: (summary) => `Son rapport : ${summary}`,
  no: (byPerson, reason) =>
    `${byPerson ? 'Vous avez dit' : 'La réponse était'} non${reason === '' ? '' : ` : « ${reason} »`}.`,
  notStarted: 'Il n’a pas démarré, et rien d’autre n’a été tenté à sa place.',
  unfinished: (outcome, why) => `Il n’a pas terminé (${OUTCOMES[outcome] ?? outcome})${why === '' ? '' : ` : ${why}`}.`,
  hadSaid: (summary) => ` Ce qu’il avait dit jusque-là : ${summary}`,
  chain: (agents, report) =>
    `${agents} : chacun a reçu ce que le précédent a donné, et le dernier a donné ceci :\n\n---\n\n${report}\n\n---`,
  looking: 'Je regarde ce qu’il y a.',
  beforeWriting: (path) => `Je vérifie que \`${path}\` s’ouvre avant de rédiger.`,
  notOpened: (path) => `\`${path}\` n’a pas pu être ouvert.`,
  lineSays: (line, words) => `La ligne ${line} dit « ${words} ».`,
  answer: '## Réponse',
  factsFound: (facts) => `${count(facts, 'fait trouvé', 'faits trouvés')}.`,
  facts: '## Faits',
  noFacts: 'Aucun.',
  open: '## En suspens',
  nothingOpen: 'Rien.',
  opening: (sources) => `J’ouvre ${count(sources, 'source')} du rapport.`,
  checked: '## Vérification',
  sums: (checked, all, held) =>
    `${count(checked, 'affirmation vérifiée', 'affirmations vérifiées')} sur ${all}, ${count(held, 'confirmée')}.`,
  takenOut: (statement) => `Retirée, car sa source ne le dit pas : ${statement}`,
  reviewing: 'J’examine le dossier moi-même.',
  wish: 'Dites quels dossiers vous n’avez pas ouverts vous-même',
  wished: (wish, folders) => `${wish} : il y en a ${number(folders)} ici, et la réponse n’en dit rien.`,
  isDone: 'Si tout est fait, appelez task_complete avec votre réponse entière.',
  notOpenedByMe: 'Non ouverts par moi : ',
  content: 'La réponse dit ce qui a été examiné, et ce qui ne l’a pas été.',
};
