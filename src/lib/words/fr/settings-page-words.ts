/** The words of the settings page, in French: its sections, what is searched, and where each value is set. */
import type { Refused } from '#contract/hosts/security.ts';
import type { ExplainedSetting } from '#contract/settings/setting-methods.ts';
import type { SettingRow } from '#contract/view.ts';
import type { SettingGroup } from '#lib/view/settings/sections.ts';
import type { SameWords } from '../following.ts';
import type { securityWords as englishSecurity, settingsPageWords as english } from '../settings-page-words.ts';
import { modeNames, number, plural } from './sentences.ts';

const groups: Readonly<Record<Exclude<SettingGroup['kind'], 'provider'>, string>> = {
  agents: 'Sous-agents et tours',
  run: 'Un agent',
  workflow: 'Un flux entier',
  context: 'Contextes',
  aliases: 'Noms de modèles',
  search: 'Recherche sur le web',
  sessions: 'Sessions',
  backups: 'Sauvegardes',
};

const providers: Readonly<Record<string, string>> = { anthropic: 'Anthropic', openai: 'OpenAI' };

const lists = {
  'models.enabled': {
    label: 'Modèles permis',
    text: 'Avec cette liste, seuls ces modèles sont utilisés, quel que soit leur nom. Sans elle : tous.',
  },
  'permissions.rules': {
    label: 'Règles',
    text: 'Ce qui peut se faire sans demander, ce qui est demandé, et ce qui ne se fait jamais.',
    open: 'Ouvrir les permissions',
  },
  'permissions.always_ask': {
    label: 'Fichiers toujours demandés',
    text: 'Motifs de fichiers que personne n’écrit sans question, outre ceux que Triad connaît.',
  },
  'permissions.secret_files': {
    label: 'Fichiers qui contiennent des clés',
    text: 'Motifs de fichiers que les agents ne lisent ni n’écrivent, outre ceux que Triad connaît.',
  },
  'web.private_hosts': {
    label: 'Hôtes de votre propre réseau',
    text: 'Hôtes qui ne sont pas publics et que des agents peuvent lire malgré tout, si vous acceptez l’appel.',
  },
  'sandbox.readable': {
    label: 'Dossiers que les commandes peuvent lire',
    text: 'Fichiers et dossiers hors du dossier de travail que les commandes du bac à sable peuvent lire.',
  },
  'sandbox.env': {
    label: 'Variables des commandes',
    text: 'Variables d’environnement que les commandes reçoivent, outre celles que Triad transmet.',
  },
  'mcp.servers': {
    label: 'Serveurs',
    text: 'Programmes et adresses qui donnent plus d’outils aux agents, avec leur état et ce qu’ils offrent.',
    open: 'Ouvrir les serveurs MCP',
  },
  'history.filters': {
    label: 'Filtres de l’historique',
    text: 'Les filtres que vous gardez, par nom.',
    open: 'Ouvrir l’historique',
  },
  'redact.patterns': {
    label: 'Motifs de secrets',
    text: 'Expressions rationnelles : ce qui y correspond est retiré de tout ce qui sort du programme.',
  },
  'redact.env': {
    label: 'Variables qui contiennent des secrets',
    text: 'Variables d’environnement dont la valeur est retirée de tout ce qui sort du programme.',
  },
} satisfies SameWords<typeof english.lists>;

const units: readonly (readonly [RegExp, string])[] = [
  [/_seconds$/, 'secondes'],
  [/_minutes$/, 'minutes'],
  [/_days$/, 'jours'],
  [/_usd$/, 'dollars US'],
  [/^attention\.volume$/, 'pour cent'],
  [/^attention\.repeats$/, 'fois'],
  [/(^|\.)(max_tokens|context_window|max_output)$/, 'jetons'],
  [/^context\.compact_at$/, 'de la fenêtre'],
];

/** What a number has to be, as the end of a sentence. */
function numberWanted({ kind, min, max }: Pick<SettingRow, 'kind' | 'min' | 'max'>): string {
  const what = kind === 'integer' ? 'un nombre entier' : 'un nombre';
  if (min !== null && max !== null) return `${what} de ${min} à ${number(max)}`;
  if (max !== null) return `${what} jusqu’à ${number(max)}`;
  return min === null ? what : `${what} à partir de ${min}`;
}

type Valued = Pick<SettingRow, 'path' | 'kind' | 'default'>;
type Origin = ExplainedSetting['origin'];
type Other = ExplainedSetting['others'][number];

const fileName = (file: string): string => file.split(/[\\/]/).at(-1) ?? file;
const line = (at: number | null): string => (at === null ? '' : `, ligne ${at}`);

/** Where a value is set, in few words; the whole path of a file stands beside it on demand. */
function originOf(origin: Origin): string {
  switch (origin.from) {
    case 'default':
      return 'Par défaut';
    case 'environment':
      return `Réglé par ${origin.variable}`;
    case 'project':
      return `Réglé par le projet${line(origin.line)}`;
    default:
      return `Réglé dans ${fileName(origin.file)}${line(origin.line)}`;
  }
}

/** Why a field cannot be changed here, and what to do; empty where it can. */
function heldOf(origin: Origin): string {
  if (origin.from === 'environment')
    return `L’environnement l’emporte sur vos réglages : changez ou retirez ${origin.variable}, puis redémarrez Triad.`;
  if (origin.from === 'project')
    return 'Le projet l’abaisse dans ce dossier : changez-le dans le fichier du projet, ou choisissez un autre dossier.';
  return '';
}

/** What else is said of a setting, and why it does not hold. */
function otherOf({ origin, reason }: Other, value: string): string {
  const where =
    origin.from === 'default' ? 'La valeur par défaut' : origin.from === 'project' ? 'Le projet' : 'Votre fichier';
  switch (reason) {
    case 'environment':
    case 'lowered':
      return `${where} dit ${value}, ce qui vaut ailleurs.`;
    case 'untrusted':
      return `Le projet veut ${value} : personne n’a fait confiance à son fichier tel qu’il est.`;
    case 'idle':
      return `Le projet veut ${value} ; le vôtre n’est pas plus élevé.`;
    case 'late':
      return `Le fichier a été changé en ${value} : cela vaut au prochain démarrage.`;
  }
}

/** What the values of a setting are called, where their own names say too little. */
const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'permissions.mode': modeNames,
  'approvals.on_timeout': { reject: 'refuser', approve: 'approuver' },
  'desktop.tray': { auto: 'Là où c’est l’usage', on: 'Toujours', off: 'Jamais' },
  'desktop.spell_check': {
    off: 'Non',
    system: 'Avec ce que le système apporte',
    download: 'Prendre un dictionnaire',
  },
  'attention.notifications': {
    off: 'Jamais',
    blocked: 'Quand quelque chose m’attend',
    all: 'Aussi à la fin d’un travail',
  },
};

/** As its control shows it; empty for none. */
function valueOf({ path, kind, default: usual }: Valued, value: SettingRow['value']): string {
  if (value === null) return '';
  // A box is on or off; a list that can be unset says yes or no.
  if (kind === 'boolean')
    return usual === null ? (value === true ? 'oui' : 'non') : value === true ? 'activé' : 'désactivé';
  return choices[path]?.[String(value)] ?? String(value);
}

export const settingsPageWords = {
  nav: 'Sections des réglages',
  section: 'Section',
  sections: {
    providers: 'Fournisseurs et clés',
    models: 'Modèles',
    limits: 'Limites',
    approvals: 'Approbations',
    tools: 'Outils et recherche',
    mcp: 'Serveurs MCP',
    data: 'Sessions et données',
    appearance: 'Apparence',
    attention: 'Sons et notifications',
    desktop: 'Bureau',
    shortcuts: 'Raccourcis clavier',
    telemetry: 'Télémétrie',
    security: 'Sécurité',
  },
  group: (group) => (group.kind === 'provider' ? (providers[group.name] ?? group.name) : groups[group.kind]),
  about: (group) => `${group} : `,
  generalProviders: 'Tous les fournisseurs',
  lists,
  parts: {
    keys: { label: 'Clés d’API', text: 'La clé, l’adresse et le modèle de chaque fournisseur, testés et enregistrés.' },
    searchKey: {
      label: 'Clé de cette recherche',
      text: 'La clé de la recherche sur le web que vous avez configurée.',
    },
    memory: { label: 'Mémoire', text: 'Des notes que des agents gardent pour des flux ultérieurs.' },
    trash: { label: 'Corbeille', text: 'Les conversations supprimées, qui peuvent être restaurées un temps.' },
    theme: { label: 'Couleurs', text: 'Claires, sombres, ou comme le système.' },
    contrast: { label: 'Contraste', text: 'Normal, fort, ou comme le système.' },
    textSize: { label: 'Taille du texte', text: 'Petite, normale ou grande, pour tout l’écran.' },
    language: { label: 'Langue', text: 'English, français, ou comme le système.' },
    shortcuts: { label: 'Raccourcis clavier', text: 'Les touches de chaque commande.' },
    keyPlace: { label: 'Où les clés sont conservées', text: 'Le magasin de clés de cette machine, ou un fichier.' },
    protections: {
      label: 'Ce qui protège maintenant',
      text: 'Ce qui vous protège de ce qui entre dans une page, tel que ce programme le constate.',
    },
    contacted: {
      label: 'Hôtes contactés',
      text: 'Quels hôtes le programme a interrogés, pourquoi et combien de fois.',
    },
    browsers: { label: 'Navigateurs', text: 'Qui d’autre est admis, et comment le déconnecter.' },
  },
  unit: (path) => units.find(([ending]) => ending.test(path))?.[1] ?? '',
  find: 'Trouver un réglage',
  findHint: 'Nom, chemin ou valeur',
  found: (count) => (count === 0 ? 'Rien trouvé' : plural(count, 'réglage trouvé', 'réglages trouvés')),
  foundHint: 'Entrée ou ↓ va au premier.',
  noneFound: (query) => `Aucun réglage n’a « ${query} » dans son nom, son texte, son chemin ou sa valeur.`,
  noneHint: 'Cherchez moins de mots, ou choisissez une section.',
  goTo: (section) => `Afficher dans « ${section} »`,
  folderHint: 'Le fichier d’un projet peut abaisser des limites dans son dossier.',
  origin: originOf,
  held: heldOf,
  other: otherOf,
  value: valueOf,
  notSet: 'non défini',
  yes: 'oui',
  no: 'non',
  reset: (value) => (value === null ? 'Retirer' : `Revenir à « ${value} »`),
  resetLabel: (value, label) => (value === null ? `Retirer : ${label}` : `Revenir à « ${value} » : ${label}`),
  undo: 'Annuler',
  undoLabel: (label) => `Annuler : ${label}`,
  undone: 'Annulé.',
  wanted: (row) => `Écrivez ${numberWanted(row)}.`,
  providerForm: 'Réglé ci-dessus, avec sa clé.',
  toProviderForm: 'L’afficher avec sa clé',
  inFile: 'Écrit dans le fichier de réglages.',
  file: 'Fichier de réglages',
  fileHint: 'Ce que vous changez ici est aussitôt enregistré dans ce fichier, vos commentaires conservés.',
  toTrust: 'Examiner le fichier du projet',
  keyPlace: (backend) => `Les clés sont conservées (${backend}), chacune avec l’adresse à laquelle elle est envoyée.`,
  toPermissions:
    'Ce que les agents peuvent faire dans un dossier, et pourquoi vous êtes interrogé, se trouve sur la page des permissions.',
} satisfies SameWords<typeof english>;

const refusedWhat: Readonly<Record<Refused, readonly [one: string, many: string]>> = {
  message: ['message au programme', 'messages au programme'],
  navigation: ['sortie de l’application', 'sorties de l’application'],
  window: ['fenêtre', 'fenêtres'],
  link: ['lien', 'liens'],
  webview: ['page dans une page', 'pages dans une page'],
  permission: ['autorisation', 'autorisations'],
  device: ['appareil', 'appareils'],
  path: ['fichier', 'fichiers'],
  request: ['requête vers un autre hôte', 'requêtes vers d’autres hôtes'],
  content: ['script ou autre contenu', 'scripts ou autres contenus'],
};

export const securityWords = {
  failed: 'Ceci n’a pas pu être consulté',
  desktop: (electron) => `Ceci est l’application de bureau${electron === '' ? '' : `, sur Electron ${electron}`}.`,
  browser: 'Ceci est une page de votre navigateur : c’est lui qui sépare ses pages de votre machine.',
  protections: {
    sandbox: {
      label: 'Bac à sable des pages',
      hint: 'Le processus qui affiche les pages n’atteint rien de cette machine.',
    },
    isolation: {
      label: 'Isolation des pages',
      hint: 'Ce qu’une page exécute ne touche pas le code qui parle au programme.',
    },
    policy: {
      label: 'Politique de contenu',
      hint: 'Rien d’ailleurs n’est chargé, et aucun texte ne devient un script.',
    },
    fuses: { label: 'Commutateurs d’Electron', hint: 'Tels qu’ils sont dans le fichier du programme en cours.' },
    commands: { label: 'Bac à sable des commandes', hint: 'Ce que les commandes des agents peuvent atteindre.' },
  },
  on: 'actif',
  off: 'inactif',
  unknown: 'pas encore connu',
  ofBrowser: 'dépend de votre navigateur',
  policyServed: 'envoyée avec cette page',
  noPolicy: 'aucune n’a été envoyée',
  asServed: 'Telle qu’elle a été envoyée',
  fuseState: (fuses) =>
    fuses === 'unpacked'
      ? 'non empaqueté : tels qu’Electron est livré'
      : fuses === 'unreadable'
        ? 'n’ont pas pu être lus'
        : 'lus dans le fichier',
  fuses: {
    RunAsNode: 'Fonctionne comme simple Node',
    EnableCookieEncryption: 'Chiffre les cookies',
    EnableNodeOptionsEnvironmentVariable: 'Obéit à NODE_OPTIONS',
    EnableNodeCliInspectArguments: 'Peut être débogué de l’extérieur',
    EnableEmbeddedAsarIntegrityValidation: 'Vérifie son archive',
    OnlyLoadAppFromAsar: 'Ne charge que depuis son archive',
    LoadBrowserProcessSpecificV8Snapshot: 'Démarre depuis un instantané propre',
    GrantFileProtocolExtraPrivileges: 'Donne plus de droits aux fichiers du disque',
    WasmTrapHandlers: 'Intercepte à peu de frais les fautes de WebAssembly',
  },
  commands: (name) =>
    name === 'bubblewrap' ? 'bubblewrap' : name === 'seatbelt' ? 'Seatbelt' : 'aucun sur cette machine',
  refusedTitle: 'Refusé aux pages',
  nothingRefused: 'Rien depuis le démarrage.',
  refused: (what, count) => plural(count, ...refusedWhat[what]),
  refusedHint:
    'Les plus récents sont dans desktop.log, dans le dossier « desktop » du dossier de données ; de beaucoup à la fois, leur nombre.',
  since: (time) => `Depuis ${time}, où le programme qui fait le travail a démarré.`,
  host: 'Hôte',
  by: 'Pour',
  times: 'Requêtes',
  last: 'Dernière',
  noHosts: 'Aucun.',
  left: (count) =>
    `${plural(count, 'entrée plus ancienne n’est pas affichée', 'entrées plus anciennes ne sont pas affichées')}.`,
  notSeen: 'Ce que les commandes et les serveurs MCP de cette machine demandent d’eux-mêmes n’est pas vu ici.',
  again: 'Consulter à nouveau',
  purposes: {
    model: 'modèles',
    fetch: 'pages web',
    search: 'recherche sur le web',
    mcp: 'serveurs MCP',
    telemetry: 'télémétrie',
    store: 'base sur un serveur',
    updates: 'mises à jour',
    other: 'autre',
  },
} satisfies SameWords<typeof englishSecurity>;
