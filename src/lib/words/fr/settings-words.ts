/** The words of the settings and of the demo, in French. */
import { PLAIN_KEYS } from '#contract/settings/plain-keys.ts';
import type { SameWords } from '../following.ts';
import type * as english from '../settings-words.ts';
import { attentionWords } from './attention-words.ts';
import { de, number, plural } from './sentences.ts';
import { help, problem } from './setting-help.ts';

export const demoWords = {
  heading: 'La démo : tout est réel sauf les réponses',
  steps: [
    'Envoyez le premier message ci-dessous : après chaque réponse, le suivant est proposé. La démo examine votre dossier et vous demande des sous-agents.',
    'Vous êtes interrogé avant que chaque sous-agent démarre. Dites oui, dites non, ou changez son prompt et voyez ce qu’il en advient.',
    'Chaque réponse est écrite d’avance, et le dit ; ce que vous écrivez n’est pas lu. Rien ne quitte cette machine. Un petit fichier est créé dans votre dossier si vous dites oui, et vous pouvez l’annuler.',
  ],
  messages: [
    'Que contient ce dossier ? Qu’un sous-agent compte les fichiers.',
    'Qu’un agent permanent cherche ce qui restait à faire.',
    'Que trois agents cherchent en même temps les textes, les tests et les adresses web, et que leurs rapports soient notés.',
    'Qu’un rapport sur ce dossier soit rédigé : un agent réunit les faits, un autre rédige, un troisième vérifie.',
  ],
  messagesLabel: 'Quatre messages, l’un après l’autre',
  next: 'Suite de la démo',
  end: 'La démo s’arrête ici. Si vous l’avez laissée écrire son fichier, il se trouve sous Changements, où vous pouvez l’annuler.',
  toSettings: 'Configurer un modèle',
} satisfies SameWords<typeof english.demoWords>;

const labels: Readonly<Record<string, string>> = {
  'models.default': 'Modèle par défaut',
  'models.aliases.sonnet': 'sonnet',
  'models.aliases.haiku': 'haiku',
  'models.aliases.opus': 'opus',
  'limits.max_sub_agents': 'Sous-agents par flux',
  'limits.max_concurrent': 'Sous-agents en même temps',
  'limits.max_iterations_ceiling': 'Tours max. de tout agent',
  'limits.doom_loop_threshold': 'Appels identiques à la suite',
  'limits.child_minutes': 'Temps d’un sous-agent',
  'limits.unattended_wait_minutes': 'Attente d’un fournisseur sans client',
  'limits.inactivity_seconds': 'Délai d’inactivité',
  'limits.approval_seconds': 'Délai de réponse',
  'permissions.mode': 'Mode d’approbation',
  'approvals.on_timeout': 'Si personne ne répond à temps',
  'limits.run.max_iterations': 'Tours',
  'limits.workflow.max_iterations': 'Tours',
  'providers.active': 'Fournisseur utilisé',
  'providers.embeddings': 'Fournisseur de plongements',
  'providers.anthropic.web_search': 'Le serveur cherche lui-même',
  'context.auto_compact': 'Compacter automatiquement',
  'context.compact_at': 'Compacter à partir de',
  'sandbox.unix_sockets': 'Sockets Unix pour les commandes avec réseau',
  'sessions.project': 'Garder les sessions dans leur projet',
  'backups.keep': 'Sauvegardes à garder',
  'backups.max_age_days': 'Garder les sauvegardes pendant',
  'backups.daily': 'Sauvegarde quotidienne',
  'updates.check': 'Rechercher les mises à jour de l’application de bureau',
  'telemetry.endpoint': 'Adresse d’un collecteur',
  'telemetry.content': 'Envoyer aussi le contenu',
  'web.search.url': 'Adresse d’une recherche',
  'web.search.key_header': 'En-tête de sa clé',
  'web.search.results': 'Résultats',
  'web.search.max_uses': 'Recherches par requête au modèle',
  ...attentionWords.labels,
  'desktop.tray': 'Icône près de l’horloge',
  'desktop.keep_awake': 'Rester éveillé au travail',
  'desktop.quick_entry': 'Touches pour une nouvelle conversation',
  'desktop.spell_check': 'Orthographe',
};
/** The providers that come with the program. */
const NAMED: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic, ou un serveur compatible',
  openai: 'OpenAI, ou un serveur compatible',
};
const lastWords: Readonly<Record<string, string>> = {
  max_tokens: 'Jetons',
  max_cost_usd: 'Coût',
  max_minutes: 'Temps',
};

/** Of one provider, below its own table. */
const ofProvider: Readonly<Record<string, string>> = {
  type: 'API',
  base_url: 'Adresse du serveur',
  max_concurrent: 'Requêtes en même temps',
  'defaults.model': 'Modèle par défaut',
  'defaults.max_tokens': 'Réponse la plus longue',
  'embeddings.model': 'Modèle de plongement',
  'embeddings.dimensions': 'Nombres par vecteur',
};
const ofModel: Readonly<Record<string, string>> = {
  context_window: 'Fenêtre de contexte',
  max_output: 'Réponse la plus longue',
  supports_tools: 'Appels d’outils',
  supports_vision: 'Lecture d’images',
  supports_extended_thinking: 'Réflexion avant la réponse',
  supports_temperature: 'Réglage de la température',
};

function providerLabel(path: string): string | undefined {
  const [, name = '', key = ''] = /^providers\.([^.]+)\.(.+)$/.exec(path) ?? [];
  if (key === 'web_search') return `Le serveur ${de(name)} cherche lui-même`;
  const {
    quoted,
    plain,
    last = '',
  } = /^models\.(?:"(?<quoted>.+)"|(?<plain>[^".]+))\.(?<last>\w+)$/.exec(key)?.groups ?? {};
  const ofOne = ofModel[last];
  return ofOne === undefined ? ofProvider[key] : `${ofOne}, ${quoted ?? plain}`;
}

function boundsOf(min: number | null, max: number | null): string {
  if (max === null) return min === null ? '' : `À partir de ${min}.`;
  return min === null ? `Jusqu’à ${max}.` : `De ${min} à ${number(max)}.`;
}

export const settingsWords = {
  title: 'Réglages',
  providerKind: 'Fournisseur',
  providerName: (name, type) =>
    type === 'demo' ? 'La démo : réponses écrites d’avance, hors ligne' : (NAMED[name] ?? name),
  isActive: 'utilisé',
  newProvider: 'Un autre fournisseur…',
  name: 'Nom',
  needName: 'Donnez d’abord un nom au fournisseur.',
  speaks: 'Protocole',
  types: {
    'openai-chat': 'OpenAI Chat Completions',
    'openai-responses': 'OpenAI Responses',
    anthropic: 'Anthropic Messages',
  },
  saveAndUse: 'Enregistrer et utiliser',
  saveOnly: 'Enregistrer',
  removeProvider: 'Retirer',
  removeProviderSure: 'Le retirer avec sa clé',
  lookThere: 'Détecter le protocole',
  nothingThere:
    'Aucun serveur de modèles ne répond à cette adresse : vérifiez-la, ou choisissez vous-même son protocole',
  ownModelHint: 'Interrogé par les agents qui n’en nomment aucun. Vide : ils doivent en nommer un.',
  key: 'Clé d’API',
  keyOptional: 'Clé d’API, si le serveur en veut une',
  keyPlaceholder: (source, variable) =>
    source === 'store'
      ? 'enregistrée ; collez-en une autre pour la remplacer'
      : source === 'environment'
        ? `de ${variable}`
        : '',
  keyFromEnvironment: (variable) => `La clé vient de ${variable} et l’emporte sur une clé enregistrée ici.`,
  keyElsewhere: ({ source, variable, of, to }) => {
    const key = { environment: variable ?? '', file: 'La clé du fichier de réglages', store: 'La clé conservée' }[
      source
    ];
    return `${key} appartient à ${of} et n’est pas envoyée à ${to} : saisissez la clé de ce serveur, ou revenez à l’autre.`;
  },
  keyInFile: 'La clé se trouve dans le fichier de réglages et l’emporte sur une clé enregistrée ici.',
  keyStored: (backend) => `Une clé est conservée (${backend}) et n’est envoyée qu’à ce serveur.`,
  keyWarning: (warning) =>
    warning === PLAIN_KEYS
      ? 'Le fichier n’est pas chiffré : tout programme qui s’exécute sous votre compte peut le lire.'
      : `${warning}.`,
  keyWhere: (backend) =>
    `Elle sera conservée (${backend}), et envoyée seulement au serveur que vous enregistrez avec elle.`,
  removeKey: 'Retirer la clé',
  endpoint: 'Adresse du serveur',
  endpointHint: (hasOwn) =>
    `${hasOwn ? 'Vide : celle de l’éditeur. ' : ''}Un serveur sur cette machine n’a d’habitude pas besoin de clé.`,
  badEndpoint: (problem) => `L’adresse du serveur est inutilisable : ${problem}`,
  endpointFromEnvironment: (name) =>
    `L’adresse vient de ${name.toUpperCase()}_BASE_URL et l’emporte sur celle enregistrée ici.`,
  servers: 'Sur cette machine',
  serverModels: (value) => plural(value, 'modèle', 'modèles'),
  find: 'Trouver les serveurs locaux',
  findAgain: 'Chercher encore',
  finding: 'Recherche…',
  noServers: 'Aucun serveur de modèles ne répond sur les ports habituels de cette machine.',
  model: 'Modèle',
  modelHint: 'Interrogé à la place de sonnet, haiku et opus.',
  modelAsConfigured: 'comme réglé dans « Modèles »',
  test: 'Tester',
  testing: 'Test…',
  works: 'Cela fonctionne',
  worksNot: 'Cela ne fonctionne pas',
  save: 'Enregistrer',
  saving: 'Enregistrement…',
  saved: 'Enregistré.',
  ready: 'Prêt',
  notReady: 'Non configuré',
  aliasesHint: 'Les agents demandent un modèle par l’un de ces noms ; chacun désigne l’identifiant d’un modèle.',
  pricesHint:
    'Les prix viennent avec Triad ; les vôtres se trouvent dans prices.toml à côté du fichier de réglages. « triad config prices » les affiche tous.',
  search: {
    hint: 'Les agents qui ont l’outil web_search vous interrogent avant chaque recherche. Un fournisseur qui cherche lui-même ne le fait que si une de vos règles l’autorise sans demander.',
    key: 'Clé de cette recherche',
    keep: 'Conserver',
    kept: (host, place) =>
      host === null
        ? `Elle sera conservée (${place}).`
        : `Une clé est conservée (${place}) et n’est envoyée qu’à ${host}.`,
  },
  limitsHint: 'Elles valent pour ce qui démarre désormais ; ce qui est en cours garde les siennes.',
  label: (path) => labels[path] ?? providerLabel(path) ?? lastWords[path.split('.').at(-1) ?? ''] ?? path,
  help,
  problem,
  bounds: (min, max) => boundsOf(min, max !== null && max < 1_000_000 ? max : null),
  language: 'Langue',
  languages: { system: 'Comme le système', en: 'English', fr: 'Français' },
  theme: 'Couleurs',
  themes: { system: 'Système', light: 'Claires', dark: 'Sombres' },
  contrast: 'Contraste',
  contrasts: { system: 'Comme le système', normal: 'Normal', more: 'Fort' },
  textSize: 'Taille du texte',
  textSizes: { small: 'Petite', normal: 'Normale', large: 'Grande' },
  motion:
    'Les animations sont réduites là où votre système le demande. Ces choix ne sont conservés que sur cet appareil.',
  memory: 'Mémoire',
  memoryHint:
    'Des notes que des agents gardent pour des flux ultérieurs dans le même dossier. Seuls les agents du même nom les lisent. Ce qu’un agent temporaire note appartient à son exécution et disparaît avec sa conversation.',
  noMemory: 'Aucun agent n’a encore gardé de note.',
  memoryFailed: 'Impossible de charger les notes',
  deleteNote: 'Supprimer',
  deleteNoteSure: 'Supprimer définitivement',
  keepNote: 'Garder',
  noteDeleted: (name) => `La note « ${name} » est supprimée`,
  browsers: 'Navigateurs',
  browsersHint: 'Chaque navigateur qui a ouvert une adresse affichée reste admis, même après un redémarrage de Triad.',
  signOutOthers: 'Déconnecter les autres navigateurs',
  signedOut: (count) =>
    count === 0
      ? 'Aucun autre navigateur n’était connecté'
      : plural(count, 'autre navigateur déconnecté', 'autres navigateurs déconnectés'),
  notSignedOut: 'Impossible de déconnecter les autres navigateurs : réessayez une fois la connexion rétablie',
  trash: 'Corbeille',
  trashHint: 'Les conversations supprimées sont conservées un temps et peuvent être restaurées.',
  openTrash: 'Ouvrir la corbeille',
  failed: 'Impossible de charger les réglages',
  version: (value) => `Triad ${value}`,
} satisfies SameWords<typeof english.settingsWords>;
