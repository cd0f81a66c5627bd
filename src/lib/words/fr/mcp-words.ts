/** The words about MCP servers, in French: their page, and what is asked and told of their tools. */
import type { Permission } from '#contract/agent.ts';
import type { SameWords } from '../following.ts';
import type * as english from '../mcp-words.ts';
import { number, plural } from './sentences.ts';

const permissions: Readonly<Record<Permission, string>> = {
  FilesystemRead: 'lire des fichiers',
  FilesystemWrite: 'modifier des fichiers',
  SemanticSearch: 'chercher par le sens',
  DatabaseRead: 'lire une base de données',
  DatabaseWrite: 'modifier une base de données',
  NetworkAccess: 'accéder au réseau',
  Execute: 'exécuter des programmes',
};

export const mcpWords = {
  title: 'Serveurs MCP',
  list: 'Serveurs MCP',
  failed: 'Impossible de lister les serveurs MCP',
  empty:
    'Les serveurs MCP sont des programmes ou des adresses qui donnent plus d’outils aux agents : un navigateur, une base de données, un suivi de tickets. Ajoutez-en un par sa ligne de commande ou son adresse ; un projet apporte les siens dans .mcp.json.',
  states: {
    usable: 'utilisable',
    disabled: 'désactivé',
    untrusted: 'non approuvé',
    faulty: 'inutilisable',
    overridden: 'remplacé',
  },
  statuses: {
    idle: 'pas démarré',
    starting: 'démarrage',
    ready: 'prêt',
    failed: 'en échec',
    stopped: 'arrêté',
  },
  sources: { user: 'le vôtre', project: 'de ce dossier' },
  written: (source, file) => `${source}, dans ${file}`,
  pid: (pid) => `processus ${pid}`,
  users: (users) =>
    users === 0 ? 'aucune exécution ne l’utilise' : `utilisé par ${plural(users, 'exécution', 'exécutions')}`,
  version: (name, version) => `${name} ${version}`,
  sampling: 'peut demander des requêtes au modèle',
  heard: (when) => `dernières nouvelles ${when}`,
  neverHeard: 'Il n’a encore jamais dit ce qu’il offre.',
  needs: (names) =>
    names.length === 0 ? 'n’a besoin de rien' : `doit pouvoir ${names.map((name) => permissions[name]).join(', ')}`,
  needsWhy: (names) => names.join(', '),
  retryIn: (time) => `Nouvel essai possible dans ${time}.`,
  retryNow: 'La prochaine utilisation réessaiera.',
  stopped: 'Vous l’avez arrêté : aucune exécution ne peut l’utiliser avant qu’il soit redémarré.',
  untrusted: 'Il est sans effet : personne n’a fait confiance au fichier qui l’apporte, tel qu’il est.',
  toTrust: 'L’examiner',
  overridden: 'Vous avez un serveur du même nom, utilisé à sa place.',
  disabled: 'Les exécutions n’ont pas ses outils.',
  buttons: {
    test: 'Tester',
    start: 'Démarrer',
    stop: 'Arrêter',
    restart: 'Redémarrer',
    on: 'Activer',
    off: 'Désactiver',
    signIn: 'Se connecter',
    signOut: 'Se déconnecter',
    remove: 'Retirer',
  },
  buttonOf: (button, server) => `${button} : ${server}`,
  testing: 'Démarrage, et demande de ce qu’il offre…',
  working: 'Un instant…',
  signedIn: 'connecté',
  signedOut: 'non connecté',
  openSignIn: (host) => `Se connecter sur ${host}`,
  signInHint: 'S’ouvre hors de cette page. Ce que vous y acceptez s’achève ici de lui-même.',
  noAddress: (url) => `Le serveur veut faire ouvrir cette adresse, qui n’est pas une adresse web : ${url}`,
  tested: (time) => `Il a répondu en ${time}.`,
  testFailed: (time) => `Échec, au bout de ${time}`,
  resources: (count) => `Ressources (${count})`,
  prompts: (count) => `Prompts (${count})`,
  prompt: {
    use: 'Utiliser dans un message',
    copy: 'Copier',
    needed: (name) => `${name} (requis)`,
    none: 'Il ne prend pas d’arguments.',
    empty: 'Le serveur a répondu par un texte vide.',
  },
  tools: (count) => `Outils (${count})`,
  toolStates: { known: '', changed: 'changé', new: 'nouveau' },
  notOffered: 'exclu par les réglages',
  arguments: 'Ses arguments',
  log: 'Journal',
  noLog: 'Il n’a rien écrit.',
  changed: (changed, fresh) => {
    const parts = [
      ...(changed > 0
        ? [`${plural(changed, 'outil est décrit', 'outils sont décrits')} autrement que lors de votre accord`]
        : []),
      ...(fresh > 0 ? [plural(fresh, 'outil est nouveau', 'outils sont nouveaux')] : []),
    ];
    const until = [
      ...(changed > 0 ? ['chaque appel de ce qui a changé vous est soumis'] : []),
      ...(fresh > 0 ? ['aucun agent ne reçoit ce qui est nouveau'] : []),
    ].join(', ');
    return `${parts.join(', ')}. Jusqu’à votre accord, ${until}.`;
  },
  accept: 'Accepter les changements',
  removeQuestion: (name) => `Retirer le serveur MCP ${name} ?`,
  removeText: 'Il est arrêté et retiré de vos réglages, et ses secrets du magasin de clés.',
  keep: 'Le garder',
  removed: (name) => `Retiré : ${name}`,
  add: 'Ajouter un serveur',
  form: {
    title: 'Ajouter un serveur MCP',
    text: 'Il est écrit dans vos réglages, pour tous les dossiers, et testé aussitôt. Un programme s’exécute avec vos droits : n’ajoutez que ce en quoi vous avez confiance.',
    name: 'Nom',
    reach: 'Comment l’atteindre',
    reaches: { stdio: 'un programme sur cette machine', http: 'une adresse' },
    command: 'Ligne de commande',
    commandHint: 'par exemple npx -y @modelcontextprotocol/server-everything ; aucun shell ne la lit',
    url: 'Adresse',
    values: { stdio: 'Environnement', http: 'En-têtes' },
    valueName: (row) => `Nom ${row}`,
    value: (row) => `Valeur ${row}`,
    secret: 'dans le magasin de clés',
    secretOf: (row) => `Valeur ${row} dans le magasin de clés`,
    more: 'Un de plus',
    less: (row) => `Retirer ${row}`,
    cancel: 'Annuler',
    add: 'Ajouter et tester',
    unclosed: 'Un guillemet de la ligne de commande n’est pas fermé.',
    noName: 'Chaque valeur doit avoir un nom.',
    twice: (name) => `Le nom ${name} y figure deux fois.`,
  },
  server: 'Serveur',
  runs: 'Exécute',
  says: (server) => `Ce qu’en dit le serveur « ${server} », et non Triad`,
  before: (server) => `Ce qu’en disait le serveur « ${server} » lors de votre accord, et ce qu’il en dit à présent`,
  sameWords: 'Sa description est la même que lors de votre accord ; son titre ou ses arguments ont changé.',
  silent: 'Il ne dit rien.',
  toolsOf: (server) => `Outils du serveur MCP ${server}`,
  lacks: (names) => `Absents ici (${names.join(', ')})`,
  editArguments: 'Modifier comme texte',
  asTree: 'Afficher en arbre',
  modelRead: 'Ce que le modèle a lu',
  rows: 'Lignes',
  showRows: (count) => `Tout afficher (${plural(count, 'ligne', 'lignes')})`,
  moreRows: (count) => `${plural(count, 'ligne', 'lignes')} de plus : le texte les a toutes.`,
} satisfies SameWords<typeof english.mcpWords>;

export const jsonWords = {
  fields: (count) => `{${plural(count, 'champ', 'champs')}}`,
  items: (count) => `[${plural(count, 'élément', 'éléments')}]`,
  whole: (characters) => `Afficher les ${number(characters)} caractères`,
  less: 'Afficher moins',
} satisfies SameWords<typeof english.jsonWords>;
