/** What settings are for, in French, by path; and why a value was refused. */
const budget = (whose: string): Readonly<Record<string, string>> => ({
  max_tokens: `Jetons ${whose}, entrée et sortie comprises. Non défini : sans limite.`,
  max_cost_usd: `Coût ${whose} en dollars US, là où le prix de ses modèles est connu.`,
  max_minutes: `Minutes de travail ${whose}, sans compter le temps à vous attendre ; ensuite il est arrêté, et garde ce qu’il a. Non défini : sans limite.`,
});
const UNLESS_LEAD = ' La valeur par défaut ne limite pas l’agent principal : la limite de son flux le fait.';
const RUN = budget('d’un agent');
const WORKFLOW = budget('d’un flux entier, avec tous ses sous-agents');

const HELP: Readonly<Record<string, string>> = {
  'providers.active': 'Qui répond là où rien d’autre n’est dit : le nom d’un fournisseur, ou demo.',
  'models.default': 'Modèle des agents qui n’en nomment aucun : un nom de modèle, ou l’identifiant d’un modèle.',
  'models.aliases.sonnet': 'Le modèle que désigne « sonnet ».',
  'models.aliases.haiku': 'Le modèle que désigne « haiku ».',
  'models.aliases.opus': 'Le modèle que désigne « opus ».',
  'limits.max_sub_agents': 'Sous-agents qu’un flux peut lancer.',
  'limits.max_concurrent':
    'Sous-agents d’un flux qui travaillent en même temps ; 1 les exécute l’un après l’autre, dans l’ordre où l’agent principal les a demandés.',
  'limits.child_minutes':
    'Minutes de travail d’un sous-agent, si ni sa définition ni son agent principal n’en disent autrement. Non défini : comme limits.run.max_minutes.',
  'limits.run.max_tokens': RUN['max_tokens']!,
  'limits.run.max_cost_usd': `${RUN['max_cost_usd']!}${UNLESS_LEAD}`,
  'limits.run.max_minutes': RUN['max_minutes']!,
  'limits.run.max_iterations': `Requêtes au modèle d’un agent, si sa définition ne dit rien d’autre.${UNLESS_LEAD}`,
  'limits.workflow.max_tokens': WORKFLOW['max_tokens']!,
  'limits.workflow.max_cost_usd': WORKFLOW['max_cost_usd']!,
  'limits.workflow.max_minutes': WORKFLOW['max_minutes']!,
  'limits.workflow.max_iterations': 'Requêtes au modèle d’un flux entier, avec tous ses sous-agents.',
  'limits.max_iterations_ceiling':
    'Requêtes au modèle au plus pour tout agent, quoi qu’en disent sa définition, son agent principal ou limits.run.max_iterations ; ce qui est réduit est signalé.',
  'limits.doom_loop_threshold':
    'Appels identiques à la suite après lesquels un agent est prévenu, et encore autant après lesquels il est arrêté, si sa définition ne dit rien d’autre.',
  'limits.unattended_wait_minutes':
    'Minutes d’attente d’un fournisseur qui ne répond pas, sans client connecté. Ensuite, le travail est interrompu et peut reprendre. Avec un client, il attend jusqu’à ce que vous l’arrêtiez.',
  'limits.inactivity_seconds':
    'Secondes de silence après lesquelles une requête au modèle est renvoyée, deux fois au plus, ou un agent est arrêté.',
  'limits.approval_seconds':
    'Secondes pendant lesquelles une question attend une réponse ; ensuite la réponse est non.',
  'permissions.mode':
    'Ce qui est demandé là où aucune règle ne décide : le mode manuel demande pour chaque sous-agent et pour tout ce qui écrit des fichiers, s’exécute ou sort de la machine ; le mode sélectif ne demande pas pour ce qui est peu risqué ; le mode automatique ne demande que pour ce qui ne peut pas être annulé ou est dit tel, et pour les fichiers qui exécutent du code ou pilotent des programmes.',
  'approvals.on_timeout':
    'Ce que devient une question à laquelle personne ne répond à temps. Jamais approuvés : un risque élevé, et ce qui ne peut pas être annulé.',
  'attention.sound_blocked': 'Un son quand quelque chose attend votre réponse.',
  'attention.sound_done': 'Un autre son quand un flux est terminé.',
  'attention.volume': 'Volume des deux sons, en pour cent.',
  'attention.notifications':
    'Notifications du système : jamais, pour ce qui attend votre réponse, ou aussi pour la fin d’un flux. Un navigateur doit d’abord les autoriser.',
  'attention.repeats':
    'Combien de fois vous êtes rappelé tant que vous ne répondez pas : après 1, 3 et 10 minutes, puis toutes les 10 minutes.',
  'attention.away_seconds':
    'Secondes sans clavier ni pointeur après lesquelles vous comptez comme absent, même avec la fenêtre au premier plan ; vous n’êtes appelé que pendant votre absence.',
  'attention.quiet_from':
    'Heure du jour, comme 22:00, à partir de laquelle rien ne s’entend ni ne s’affiche jusqu’à la fin des heures calmes. Non défini : pas d’heures calmes.',
  'attention.quiet_to':
    'Heure du jour, comme 07:00, à laquelle finissent les heures calmes. Non défini : pas d’heures calmes.',
  'desktop.tray':
    'Une icône près de l’horloge du système, avec ce qui est en cours et ce qui attend ; tant qu’un flux est en cours, l’application y continue sans fenêtre. C’est l’usage sous Windows.',
  'desktop.keep_awake':
    'Tant qu’un flux est en cours, la machine ne se met pas en veille d’elle-même ; son écran le peut.',
  'desktop.quick_entry':
    'Touches qui amènent une nouvelle conversation au premier plan depuis tout autre programme, comme CommandOrControl+Shift+Space. Non défini : aucune.',
  'desktop.spell_check':
    'Marque les mots mal écrits là où vous écrivez. Seul macOS apporte des dictionnaires ; ailleurs, un dictionnaire de votre langue est pris une fois sur un serveur de Google, si vous le choisissez.',
  'providers.anthropic.web_search':
    'Si le serveur cherche lui-même sur le web : auto : là où c’est l’API d’Anthropic, always : toujours, never : jamais.',
  'context.auto_compact': 'Résumer ce qu’un agent a reçu plus tôt, quand son contexte est presque plein.',
  'context.compact_at': 'Part de la fenêtre de contexte du modèle à partir de laquelle c’est fait.',
  'sandbox.unix_sockets':
    'Les commandes avec réseau peuvent utiliser des sockets Unix, dont certains serveurs de développement ont besoin. Par là, elles atteignent aussi d’autres programmes de cette machine.',
  'sessions.project':
    'Garder les fichiers Markdown des sessions dans .triad/sessions de leur projet, plutôt que dans le dossier de données.',
  'backups.keep':
    'Sauvegardes que « triad backup » garde dans le dossier de données ; les plus anciennes partent quand une nouvelle est vérifiée.',
  'backups.max_age_days':
    'Jours après lesquels une telle sauvegarde part aussi, sauf la plus récente. Non défini : sans limite.',
  'backups.daily':
    'Fait une copie vérifiée de l’historique une fois par jour, quand aucun flux n’est en cours, et garde les sept dernières.',
  'updates.check':
    'Si l’application de bureau empaquetée recherche des mises à jour, à son démarrage et toutes les 4 heures. Désactivé : elle n’interroge personne. Rien n’est installé pendant qu’un flux est en cours ni, si l’historique est sur cette machine, sans sauvegarde.',
  'telemetry.endpoint':
    'Adresse d’un collecteur OpenTelemetry qui accepte OTLP sur HTTP en JSON, sans /v1/traces. Non défini : rien n’est envoyé.',
  'telemetry.content': 'Envoyer aussi prompts, réponses, arguments et résultats, secrets masqués.',
  'web.search.url':
    'Adresse d’une recherche qui répond en JSON, avec {query} à la place de la requête, comme celle de SearXNG ou de Brave. Non défini : aucune.',
  'web.search.key_header':
    'En-tête dans lequel est envoyée la clé conservée de cette recherche, comme X-Subscription-Token. Non défini : aucun.',
  'web.search.results': 'Résultats au plus d’une recherche remis à un agent.',
  'web.search.max_uses': 'Recherches au plus que le fournisseur du modèle fait lui-même en une requête au modèle.',
};

/** `description`: as core has it, for what is not known here. */
export function help({ path, description }: { path: string; description: string }): string {
  if (/^providers\..+\.max_concurrent$/.test(path))
    return 'Requêtes au modèle de sous-agents en même temps. Non défini : une valeur adaptée au serveur.';
  return HELP[path] ?? description;
}

const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/^must be at most (\S+)$/, 'doit être au plus $1'],
  [/^must be at least (\S+)$/, 'doit être au moins $1'],
  [/^must be more than (\S+)$/, 'doit être supérieur à $1'],
  [/^must be a number$/, 'doit être un nombre'],
  [/^must be a whole number$/, 'doit être un nombre entier'],
  [/^must be true or false$/, 'doit être true ou false'],
  [/^must not be empty$/, 'ne peut pas être vide'],
];

/** Follows the setting's name. */
export function problem(reason: string): string {
  const known = PROBLEMS.find(([pattern]) => pattern.test(reason));
  return known ? reason.replace(known[0], known[1]) : ` : ${reason}`;
}
