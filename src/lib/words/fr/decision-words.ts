/** The words of a question as a decision, in French: what it may, with what, how much at most, why it is asked, and the ways to answer. */
import type { Permission } from '#contract/agent.ts';
import type { Leave, May, Summary } from '#contract/approvals/summary.ts';
import { count, minutes, tokens as compactTokens, usd } from '#lib/view/format.ts';
import { type BlockLine, type decisionWords as english, nameEdit } from '../decision-words.ts';
import type { SameWords } from '../following.ts';
import { plural } from './sentences.ts';

const verbs: Readonly<Partial<Record<Permission, string>>> = {
  FilesystemRead: 'lire',
  FilesystemWrite: 'écrire',
  Execute: 'exécuter',
  NetworkAccess: 'réseau',
  DatabaseRead: 'lire des bases de données',
  DatabaseWrite: 'écrire dans des bases de données',
};

const leaves: Readonly<Record<Leave, string>> = {
  no: 'non',
  all: 'sur accord',
  some: 'parfois sur accord',
  none: 'sans demander',
  refused: 'refusé',
  held: 'oui',
};

function mayLine({ permission, leave, tools }: May): BlockLine {
  const verb = verbs[permission] ?? permission;
  const value = permission === 'FilesystemRead' ? readWords(leave) : `${verb} : ${leaves[leave]}`;
  const hint = tools.length === 0 ? permission : `${permission} : ${tools.join(', ')}`;
  return { key: permission, value, hint, ...(leave === 'no' ? { isNo: true } : {}) };
}

/** To read and search the folder is what every agent has. */
function readWords(leave: Leave): string {
  if (leave === 'none' || leave === 'held') return 'lire ce dossier';
  return leave === 'no' ? 'lire : non' : `lire ce dossier : ${leaves[leave]}`;
}

function withLines({ with: given }: Summary, elsewhere: boolean): BlockLine[] {
  const { provider, model, effort, folder, mcpServers } = given;
  return [
    { key: 'model', value: effort === null ? model : `${model}, effort ${effort}`, hint: `${provider} : ${model}` },
    ...(elsewhere ? [{ key: 'provider', value: `chez ${provider}`, hint: 'provider' }] : []),
    { key: 'folder', value: `dans ${folder}`, hint: 'folder' },
    ...(mcpServers.length === 0 ? [] : [{ key: 'mcp', value: `MCP (${mcpServers.join(', ')})`, hint: 'mcp_servers' }]),
  ];
}

function atMostLines({ atMost }: Summary): BlockLine[] {
  const { turns, costUsd, tokens, answerTokens } = atMost;
  const answer = `${compactTokens(answerTokens)} jetons par réponse`;
  return [
    { key: 'turns', value: plural(turns, 'tour', 'tours'), hint: 'max_iterations' },
    ...(costUsd === null ? [] : [{ key: 'cost', value: usd(costUsd), hint: 'max_cost_usd' }]),
    ...(atMost.minutes === null
      ? []
      : [{ key: 'minutes', value: `${minutes(atMost.minutes)} min`, hint: 'max_minutes' }]),
    {
      key: 'tokens',
      value: tokens === null ? answer : `${compactTokens(tokens)} jetons, ${compactTokens(answerTokens)} par réponse`,
      hint: `max_tokens : ${count(answerTokens)}`,
    },
  ];
}

const lines = (value: number): string => plural(value, 'ligne', 'lignes');

function starts(agent: string, stages: number): string {
  return stages === 0 ? `${agent} veut démarrer` : `${stages + 1} agents, l’un après l’autre, veulent démarrer`;
}

const editNames: Readonly<Record<string, string>> = {
  prompt: 'prompt',
  systemPrompt: 'prompt système',
  tools: 'outils',
  provider: 'fournisseur',
  model: 'modèle',
  effort: 'effort',
  maxTokens: 'jetons par réponse',
  maxIterations: 'tours',
  inactivityMs: 'limite d’inactivité',
  tokens: 'budget de jetons',
  costUsd: 'budget en dollars',
  minutes: 'budget de minutes',
  reflection: 'relecture',
  seesReports: 'rapports des autres',
  path: 'chemin',
  content: 'contenu',
  command: 'commande',
  json: 'arguments',
  action: 'ce qu’il veut faire',
};

export const decisionWords = {
  starts,
  startsInBackground: (agent, stages) => `${starts(agent, stages)} en arrière-plan`,
  left: { no: 'puis non', yes: 'puis oui', on: 'puis il continue sans' },
  timeLeft: (time) => `encore ${time}`,
  decision: 'Votre décision',
  task: 'Tâche',
  blocks: { may: 'peut', with: 'avec', atMost: 'au plus' },
  mayLines: (summary) => summary.may.map(mayLine),
  withLines,
  atMostLines,
  was: (before) => `avant : ${before}`,
  asFirst: (agent) => `mêmes droits que ${agent}`,
  served: 'Qui travaille avec lui',
  told: 'Ce qu’il reçoit',
  systemPrompt: 'Son prompt système',
  ofDefinition: 'de sa définition',
  unchanged: {
    temporary: 'Prompt intégré des agents temporaires, inchangé',
    prompt: {
      builtin: (agent) => `${agent} intégré, inchangé`,
      person: (agent) => `Votre propre ${agent}, inchangé`,
      trusted: (agent) => `${agent} de ce projet, de confiance, inchangé`,
    },
    text: {
      builtin: (label) => `${label} : intégré, inchangé`,
      person: (label) => `${label} : de votre propre fichier, inchangé`,
      trusted: (label) => `${label} : d’un fichier de confiance, inchangé`,
    },
    allowedBefore: (label) => `${label} : vous avez déjà autorisé exactement ce texte`,
  },
  criteria: (tries: string) => `Les critères de sa relecture, ${tries}`,
  lines: (value) => `(${lines(value)})`,
  showAll: (value) => `Afficher ${value === 1 ? 'la ligne' : `les ${lines(value)}`}`,
  showLess: 'Afficher moins',
  asWritten: 'Tel qu’écrit',
  notRendered: 'Tel qu’écrit : mis en forme, certaines parties ne se verraient pas.',
  yourChanges: 'Vos modifications',
  details: 'Détails et modification',
  edit: 'Modifier',
  asJson: 'En JSON',
  why: 'Pourquoi cette question ?',
  whyFailed: 'Impossible de dire pourquoi',
  whyNone: 'Un agent vous interroge lui-même : aucune règle n’en décide.',
  askedThen: (because) => `Au moment de la question : ${because}`,
  since: {
    allow:
      'Depuis, une règle ou une autorisation enregistrée le permet désormais sans question. Cette question vous attend encore.',
    deny: 'Depuis, une règle enregistrée l’interdit désormais. Cette question vous attend encore.',
  },
  once: {
    spawn:
      'Cela ne s’autorise qu’une fois : un sous-agent temporaire a le nom, le prompt et les outils que son agent principal lui donne, un oui à l’un ne dit donc rien du suivant. Seule une règle de vos propres réglages qui le nomme peut le laisser démarrer sans question.',
    parallel:
      'Un lot ne s’autorise qu’une fois. Ce que vous avez autorisé pour plus longtemps vaut pour un agent qui démarre seul, pas dans un lot. Une règle qui nomme ses agents peut laisser un lot démarrer sans question.',
  },
  inPermissions: 'Ouvrir dans Permissions',
  rejectMore: 'Refuser…',
  keep: 'Retour',
  withEdits: (fields) =>
    `avec ${fields.length === 1 ? 'votre modification' : 'vos modifications'} : ${fields.map((field) => nameEdit(field, editNames)).join(', ')}`,
  command: 'Commande',
  inFolder: (folder) => `dans ${folder}`,
  parts: 'Ce qui demande votre accord',
  wholeLine: 'la ligne entière',
  batch: (items, same) => `${items} à la fois, chacun avec : ${same}`,
  listKeys: '1–9 pour choisir',
} satisfies SameWords<typeof english>;
