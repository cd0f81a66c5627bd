/** The words of the permissions page, and of what decided a question, in French. */
import { grantIdOf } from '#contract/grant-id.ts';
import type { SameWords } from '../following.ts';
import type { permissionsWords as english } from '../permissions-words.ts';
import { modeNames, plural } from './sentences.ts';

/** What decides where neither a rule nor a grant of a file or a person does. */
const others: Readonly<Record<string, string>> = {
  'approve:all': 'tout ce flux devait être autorisé',
  'approve:none': 'tout ce flux devait être refusé',
  'mode:auto': 'par le mode d’approbation automatique',
  'mode:selective': 'par le mode d’approbation sélectif',
  default: 'par défaut',
  ceiling: 'l’agent n’a pas cet outil',
  fault: 'les règles, ou l’appel, sont incompréhensibles',
  'agent:requires_approval': 'par la définition de l’agent',
};

/** A rule's number is its place in its file when it decided. */
function byRule(ruleId: string): string {
  const [scope, number] = ruleId.split(':');
  if (grantIdOf(ruleId) !== null) return 'par une autorisation';
  if (scope === 'user') return `par la règle ${number} de vos réglages`;
  if (scope === 'project') return `par la règle ${number} du projet`;
  return others[ruleId] ?? `par ${ruleId}`;
}

/** The tool whose patterns are names of agents. */
const STARTS = 'delegate_task';

export const permissionsWords = {
  title: 'Permissions',
  failed: 'Impossible de charger les permissions',
  mode: (mode) => `Là où aucune règle ne décide : mode ${modeNames[mode]}`,
  modes: {
    manual:
      'Vous êtes interrogé avant chaque sous-agent, et pour tout ce qui écrit des fichiers ou sort de la machine.',
    selective: 'Comme en mode manuel, mais rien n’est demandé pour ce qui est peu risqué, comme créer un fichier.',
    auto: 'Seul est demandé ce qui ne peut pas être annulé, ou est dit tel, et les fichiers qui exécutent du code ou pilotent des programmes.',
  },
  modeNames,
  changeMode: 'Le changer dans les réglages',
  always: [
    'Triad ne demande rien pour lire et chercher dans le dossier, sauf si une règle ou la définition d’un agent le veut.',
    'Les clés dans les fichiers sont masquées. Triad demande toujours avant qu’un agent lise un fichier avec ses clés.',
    'Interdire l’emporte sur tout ; ce qui ne peut pas être annulé est toujours demandé, en deux temps. Une exécution du terminal avec --approve all fait exception : c’est votre parole.',
    'Les fichiers qui exécutent du code ou pilotent des programmes sont demandés avant d’être écrits, sauf si une règle ou une autorisation les nomme, ou si l’exécution est en --approve all.',
    'Les fichiers qui contiennent d’habitude des clés ou des mots de passe ne sont ni lus ni écrits, pas plus que les dossiers de Triad, à part les notes de sessions que lit un agent principal.',
  ],
  untrusted:
    'Les règles du projet ne peuvent qu’interdire ou demander : personne n’a fait confiance à son fichier tel qu’il est.',
  toTrust: 'L’examiner',
  unsignedGrants: (count) =>
    `Autorisations ignorées, car une autre installation les a écrites dans la base partagée : ${count}.`,
  faultsMean: 'Tant que ce n’est pas corrigé, aucun appel d’outil ne passe.',
  rules: 'Règles',
  rulesHint: 'Dans l’ordre où elles sont écrites. Elles valent dès que leur fichier est enregistré.',
  noRules: 'Il n’y a pas de règles pour ce dossier.',
  noRulesHint:
    'Les règles se trouvent sous [[permissions.rules]] dans config.toml, le vôtre ou celui du projet, .triad/config.toml.',
  effects: { deny: 'interdire', ask: 'demander', allow: 'autoriser' },
  rule: {
    effect: 'Effet',
    what: 'Outil ou permission',
    pattern: 'Sur',
    agent: 'Agent',
    scope: 'De qui',
    place: 'Écrite dans',
  },
  ruleScopes: { user: 'la vôtre', project: 'du projet' },
  anything: 'tout',
  all: 'tous',
  grants: 'Autorisations',
  grantsHint:
    'Ce que vous avez autorisé pour plus d’une fois. En révoquer une prend effet dès l’appel suivant : elle n’autorise plus rien.',
  noGrants: 'Rien n’est autorisé d’avance dans ce dossier.',
  noGrantsHint: 'Une question le propose sous « Plus d’une fois… ».',
  grantSentence: ({ agent, tool, pattern }) =>
    tool === STARTS ? `${agent} peut lancer ${pattern}` : `${agent} peut utiliser ${tool} sur ${pattern}`,
  scopes: {
    workflow: 'dans un flux',
    conversation: 'dans une conversation',
    project: 'toujours pour ce projet',
  },
  given: (when) => `donnée ${when}`,
  until: (when) => `finit ${when}`,
  used: (calls, most) =>
    most === null ? `utilisée ${calls} fois` : `encore ${plural(most - calls, 'appel', 'appels')} sur ${most}`,
  revokedAt: (when) => `révoquée ${when}`,
  ended: 'a pris fin',
  revoke: 'Révoquer',
  revokeLabel: (sentence) => `Révoquer : ${sentence}`,
  revoked: (agent, tool, pattern) =>
    `Révoqué : ${agent} ne peut plus par là ${tool === STARTS ? `lancer ${pattern}` : `utiliser ${tool} sur ${pattern}`}`,
  conversation: 'Ouvrir la conversation',
  explainer: 'Essayer un appel',
  explainerHint: 'Dit s’il serait autorisé, demandé ou interdit, et pourquoi. Rien n’est demandé, exécuté ni compté.',
  agent: 'Agent',
  tool: 'Outil',
  within: 'Où',
  nowhere: 'une nouvelle conversation',
  inConversation: (title) => `dans « ${title} »`,
  inWorkflow: 'dans le flux qui a demandé',
  arguments: 'Arguments (JSON)',
  fields: { path: 'Chemin', pattern: 'Motif', agent_id: 'Sous-agent', name: 'Son nom' },
  explain: 'Expliquer',
  explaining: 'Examen…',
  notJson: (why) => `Ce n’est pas du JSON : ${why}`,
  explainFailed: 'Impossible à expliquer',
  gone: 'Cette question n’existe plus.',
  verdict: {
    deny: 'C’est interdit.',
    ask: 'Vous êtes interrogé.',
    allow: 'C’est autorisé sans question.',
  },
  chain: 'Ce qui a été examiné, dans cet ordre',
  decides: 'décide',
  kinds: {
    ceiling: 'ce que l’agent a',
    rule: 'règle',
    grant: 'autorisation',
    agent: 'sa définition',
    default: 'défaut',
    fault: 'erreur',
  },
  place: (file, line) => (line === null ? file : `${file}:${line}`),
  byRule,
  why: 'Pourquoi ?',
  asNow: 'Selon les règles et les autorisations d’aujourd’hui :',
  seeGrant: 'Voir l’autorisation, ou la révoquer',
  granted: 'Autorisé avec cette réponse',
  grantsOfWorkflow: 'Autorisations',
  callBy: { grant: 'par une autorisation', rule: 'par une règle' },
} satisfies SameWords<typeof english>;
