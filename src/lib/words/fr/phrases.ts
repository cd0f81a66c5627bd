/** What core says of questions and of what decided them, in French, from its keys and values. None ends in a stop. */
import type { ApprovalMode } from '#contract/agent.ts';
import type { ENGLISH } from '#contract/approvals/phrases.ts';
import { isDiskSuspected } from '#contract/approvals/store-phrases.ts';
import type { StartPlace } from '#contract/approvals/trust-phrases.ts';
import type { Bound } from '#contract/message.ts';
import type { Effect, GrantScope } from '#contract/permission.ts';
import { usd } from '#lib/view/format.ts';
import type { SameWords } from '../following.ts';
import { faultPhrases } from './fault-phrases.ts';
import { de, listed, modeNames, plural } from './sentences.ts';

const LEADS = 'comme l’agent principal';
const listOf = (list: string | null, none: string): string => (list === null ? LEADS : list || none);
const VERBS: Readonly<Record<Effect, string>> = { deny: 'interdit', ask: 'demande pour', allow: 'autorise' };
const SCOPES: Readonly<Record<GrantScope, string>> = {
  workflow: 'dans ce flux',
  conversation: 'dans cette conversation',
  project: 'toujours pour ce projet',
};
const MODES: Readonly<Record<ApprovalMode, string>> = {
  manual: 'Chacune de ses actions qui écrit un fichier ou sort de la machine sera d’abord demandée',
  selective:
    'Celles de ses actions qui sont peu risquées, comme créer un fichier, ne seront pas demandées ; les autres le seront',
  auto: 'Ses actions ne seront pas demandées là où elles peuvent être annulées, ou là où il le dit d’un plan qu’il décrit lui-même',
};
const START_PLACES: Readonly<Record<StartPlace, string>> = {
  sandbox: 's’exécute dans le bac à sable, avec le réseau',
  outside: 's’exécute hors du bac à sable, avec le réseau et tous vos droits',
  'no-sandbox': 's’exécute sans bac à sable, avec le réseau et tous vos droits',
};
const UNLESS = 'Triad vous le demande avant chaque écriture, sauf si une règle ou une autorisation nomme ce fichier';

function formatLimit({ name, value }: { name: Bound['name']; value: number }): string {
  const number = value.toLocaleString('fr', { maximumFractionDigits: 9 });
  return {
    costUsd: usd(value),
    tokens: plural(value, 'jeton', 'jetons'),
    minutes: `${number} min`,
    iterations: plural(value, 'tour', 'tours'),
  }[name];
}

/** What an agent is about to do with a tool, after « avant ». */
const BEFORE: Readonly<Record<string, string>> = {
  spawn_agent: 'de lancer un sous-agent',
  delegate_task: 'de confier une tâche à un agent',
  parallel_tasks: 'de lancer plusieurs agents à la fois',
  write_file: 'd’écrire un fichier',
  edit_file: 'de modifier un fichier',
  move_file: 'de déplacer un fichier',
  delete_file: 'de supprimer un fichier',
  bash: 'd’exécuter une commande',
  web_fetch: 'de lire une adresse',
  web_search: 'de chercher sur le web',
};
const before = (tool: string): string => (Object.hasOwn(BEFORE, tool) ? BEFORE[tool]! : `d’utiliser ${tool}`);

function sizeText({ path, files, bytes }: { path: string; files: number | null; bytes: number }): string {
  const content = files === null ? '' : ` avec ${plural(files, 'fichier', 'fichiers')}`;
  return `${path}${files === null ? '' : '/'}${content} (${plural(bytes, 'octet', 'octets')})`;
}

const some = (paths: string, more: number): string => `${paths}${more > 0 ? ` et ${more} de plus` : ''}`;

const inConversations = (count: number): string => plural(count, 'conversation', 'conversations');

export const phrases = {
  write: ({ path, change }) => `Écrire ${path}${change}`,
  edit: ({ path, change }) => `Modifier ${path}${change}`,
  delete: ({ path }) => `Supprimer ${path}`,
  move: ({ path, to }) => `Déplacer ${path} vers ${to}`,
  run: ({ command }) => `Exécuter ${command}`,
  run_in: ({ command, folder }) => `Dans ${folder}, exécuter ${command}`,
  read_address: ({ address }) => `Lire ${address}`,
  read_unredacted: ({ path }) => `Lire ${path} avec ses clés`,
  search_web: ({ query }) => `Chercher sur le web « ${query} »`,
  use: ({ tool }) => `Utiliser ${tool}`,
  use_of_server: ({ tool, server }) => `Utiliser ${tool ?? 'les ressources'} du serveur MCP ${server}`,
  go_on: ({ action }) => `Continuer ainsi : ${action}`,
  questions: ({ count }) => `${plural(count, 'question', 'questions')} pour vous`,
  own_words: ({ words }) => words,
  server_asks: ({ server, message, page, pages }) =>
    `Le serveur MCP ${server} demande : ${message}${pages === 1 ? '' : ` (${page} sur ${pages})`}`,
  server_samples: ({ server }) => `Le serveur MCP ${server} veut la réponse d’un modèle`,
  keep_control_files: ({ count }) =>
    `Garder les changements de ${plural(count, 'fichier', 'fichiers')} qui ${count === 1 ? 'peut' : 'peuvent'} lancer des programmes ?`,
  batch: ({ count, names }) =>
    `Lancer ${count === 1 ? 'un lot d’un agent' : `${count} agents en même temps`} : ${names}`,
  delegate: ({ title, name }) => `Confier « ${title} » à ${name}`,
  spawn: ({ title, name, background }) =>
    `Lancer le sous-agent ${name} pour « ${title} »${background ? ' en arrière-plan' : ''}`,
  run_again: ({ title, name }) => `Relancer ${name} pour « ${title} »`,
  asked_again: ({ run, session }) =>
    `Vous avez demandé de relancer l’exécution ${run} de la session ${session}, avec les réglages qu’elle avait. Les fichiers sont tels qu’ils sont à présent. L’agent principal continue avec le rapport`,
  makes_file: ({ path, folder }) => `Crée le fichier ${path} dans ${folder}`,
  replaces_content: ({ path, folder }) => `Remplace le contenu de ${path} dans ${folder}`,
  is_there: ({ path }) => `${path} a déjà exactement ce contenu : rien n’est écrit`,
  deletes: ({ folder, ...of }) => `Supprime ${sizeText(of)} dans ${folder}`,
  moves: ({ folder, ...of }) => `Déplace ${sizeText(of)} dans ${folder}`,
  in_it: ({ names, more }) => `Contient ${some(names, more)}`,
  undoable: () => 'Cela peut être annulé',
  in_sandbox: ({ folder, reads, network }) =>
    `Dans un bac à sable : elle peut ${reads ? `lire des fichiers dans ${folder}` : `modifier des fichiers dans ${folder} et nulle part ailleurs`}, et ${network ? 'accède au réseau' : 'n’accède pas au réseau'}`,
  starts_in: ({ folder }) => `Elle commence dans ${folder}, où une commande précédente a laissé le shell`,
  ended_after: ({ seconds, background }) =>
    `Elle ${background ? 'continue en arrière-plan' : 'tourne'} pendant ${seconds} s au plus`,
  no_sandbox: () =>
    'Aucun bac à sable ne protège ce dossier : la commande peut faire tout ce que vous pouvez faire. Elle accède au réseau et aux dossiers de Triad, et aucune règle ne l’autorise sans demander',
  in_terminal: () =>
    'Dans un terminal du client qui a ouvert cette session, hors du bac à sable : la commande peut faire tout ce que vous pouvez faire, y compris dans les dossiers de Triad',
  terminal_network: ({ wanted }) =>
    wanted ? 'Elle accède au réseau' : 'Elle accède au réseau, bien que l’agent ait demandé un shell sans réseau',
  never_unasked: () => 'Aucune règle ne l’autorise sans demander',
  changes_stay: () => 'Ce qu’elle change ne peut pas être annulé',
  control_files: () =>
    'Une commande les a changés dans le bac à sable. Ils lancent ou règlent des programmes au-dehors, comme git et les serveurs MCP',
  put_back_control_files: () =>
    'Un non remet les fichiers comme avant et range les versions changées dans un dossier de Triad. D’ici votre réponse, rien ne démarre hors du bac à sable dans ce dossier de travail',
  use_replaced_folder: ({ folder }) => `Le dossier de travail a été remplacé : utiliser le nouveau ${folder} ?`,
  replaced_folder: () =>
    'Un autre dossier a ce chemin depuis que Triad l’a utilisé. Aucun outil n’y accède avant votre accord',
  later_calls: () => 'Un oui vaut pour les prochains appels. Celui-ci reste refusé, car il concernait l’autre dossier',
  limit_of_run: ({ agent, ...limit }) => `${agent} a atteint sa limite de ${formatLimit(limit)}`,
  limit_of_workflow: (limit) => `Ce flux a atteint sa limite de ${formatLimit(limit)}`,
  extend_or_finish: ({ more }) =>
    `Il vous attend. Prolongez la limite de ${formatLimit(more)}, laissez-le finir par une dernière requête, ou arrêtez-le`,
  were_put_back: ({ paths, folder }) =>
    `remis comme avant la commande : ${paths} (les versions changées sont dans ${folder})`,
  writes_nothing: () => 'Elle ne peut rien y écrire',
  sent_stays: () => 'Ce qu’elle envoie et ce qu’elle change ne peut pas être annulé',
  background_stays: () => 'Ce qu’elle change pendant qu’elle tourne en arrière-plan ne peut pas être annulé',
  git_stays: () => 'Ce que git enregistre dans .git ne peut pas être annulé',
  nothing_kept: () => 'Ce qu’elle change ne peut pas être annulé : il n’y a pas de git, ou le dossier est trop grand',
  not_kept: ({ paths, more }) =>
    `Ce qu’elle change dans ${some(paths, more)} ne pourrait pas être annulé : git l’ignore, ou cela ne peut pas être conservé`,
  kept_but: ({ paths, more }) => `Ce qu’elle change peut être annulé, sauf dans ${some(paths, more)}, que git ignore`,
  kept: () => 'Ce qu’elle change peut être annulé',
  address_told: () =>
    'Il lit cette adresse, sans rien qui permette à son serveur de vous reconnaître ; ce que contient l’adresse lui est transmis',
  shows_keys: ({ path, names }) => `${path} contient : ${names}`,
  keys_sent: () =>
    'Si vous autorisez cela, les clés sont envoyées au modèle et restent dans l’historique de cette conversation. Ses agents peuvent ensuite lire ce fichier avec ses clés tant qu’il ne change pas',
  keys_for_person: () => 'Vous seul pouvez autoriser un fichier avec ses clés',
  query_sent: ({ host }) =>
    host === null
      ? 'La requête n’est envoyée à personne : aucune recherche n’est configurée'
      : `La requête est envoyée à ${host}`,
  rule_wants: () => 'Une règle, ou la définition de cet agent, veut que cela vous soit demandé',
  other_arguments: ({ server }) => `${server} veut pour cet outil d’autres arguments que lors de votre dernier accord`,
  other_words: ({ server }) => `${server} décrit cet outil autrement que lors de votre dernier accord`,
  new_tool: ({ server }) => `${server} n’avait pas cet outil quand vous l’avez configuré`,
  server_reads: ({ server }) => `Il lit par le serveur « ${server} »`,
  server_changes: ({ server }) =>
    `Ce qu’il change, seul le serveur « ${server} » le sait : cela ne peut pas être annulé ici`,
  sampled: () => 'C’est demandé au modèle de cet agent, et payé comme ses propres requêtes',
  sub_agent: () =>
    'Un sous-agent reçoit son prompt système et son prompt, rien d’autre de cette conversation, et rend un rapport',
  in_background: () => 'Il travaille en arrière-plan : son agent principal continue pendant ce temps',
  all_yes: () => 'Ce flux s’exécute avec un oui à tout ce qu’aucune règle n’interdit : rien ne sera demandé',
  all_no: () => 'Ce flux s’exécute avec un non à chaque question',
  no_writer: () => 'Il n’a aucun outil qui écrit des fichiers ou sort de la machine',
  mode: ({ mode }) => MODES[mode],
  steering: () =>
    'Les fichiers qui exécutent du code ou pilotent des programmes sont demandés, sauf si une règle ou une autorisation les nomme',
  decided_before: () =>
    'Ce qui a été décidé avant l’emporte (d’abord ce qui interdit, puis le fichier du projet avant le vôtre, et dans un même fichier demander avant autoriser)',
  rule: ({ effect, scope, tool, permission, agent, pattern, file, line }) => {
    const what = tool === null ? `ce qui demande ${permission}` : `l’outil ${tool}`;
    const who = agent === null ? 'tous les agents' : `l’agent ${agent}`;
    const whose = scope === 'user' ? 'Votre règle' : 'La règle du projet';
    const place = file === null ? '' : ` (${file}:${line})`;
    return `${whose} ${VERBS[effect]} ${what}${pattern === null ? '' : ` sur ${pattern}`}, pour ${who}${place}`;
  },
  grant: ({ agent, tool, pattern, scope }) =>
    `Vous avez autorisé ${agent} à utiliser ${tool} sur ${pattern} ${SCOPES[scope]}`,
  definition_asks: ({ what }) => `Sa définition veut qu’il vous soit demandé pour ${what}`,
  requires: ({ agent, what }) => `La définition ${de(agent)} exige une approbation pour ${what}`,
  changes_nothing: ({ tool }) => `${tool} ne change rien au-dehors : rien n’est demandé`,
  irreversible_named: ({ tool }) =>
    `Ce qui ne peut pas être annulé est demandé, sauf si une de vos règles ou autorisations nomme ${tool} et un motif`,
  start_named: ({ tool }) => `Le démarrage d’un sous-agent est demandé, sauf si une règle nomme ${tool} et un motif`,
  spawn_named: ({ tool }) =>
    `Le démarrage d’un sous-agent temporaire est demandé, sauf si une règle de votre propre fichier nomme ${tool} et un motif`,
  irreversible: () => 'Ce qui ne peut pas être annulé est toujours demandé',
  mode_allows: ({ mode }) =>
    `Le mode d’approbation ${modeNames[mode]} autorise ${mode === 'auto' ? 'ce qui peut être annulé' : 'ce qui est peu risqué'}`,
  not_simple: () =>
    'La ligne est plus que des commandes simples : seule une règle ou une autorisation pour toute cette ligne l’autorise',
  runs_unseen_code: ({ program }) =>
    `${program} peut exécuter ici d’autres programmes : seule une règle ou une autorisation sans caractères génériques l’autorise`,
  option_not_listed: ({ command, option }) =>
    `${command} : ${option} n’est pas dans la liste des options que les règles à caractères génériques peuvent autoriser`,
  git_command_not_listed: ({ command }) =>
    `${command} n’est pas dans la liste des commandes que les règles à caractères génériques peuvent autoriser`,
  no_rule: ({ tool }) => `Là où aucune règle ne décide, il vous est demandé avant ${before(tool)}`,
  steers: ({ path, program }) => `${path} pilote ${program}, qui peut exécuter du code : ${UNLESS}`,
  starts_server: ({ path }) => `Un serveur MCP est démarré depuis ${path} : ${UNLESS}`,
  listed: ({ path, list }) => `${path} figure dans ${list} : ${UNLESS}`,
  to_you: () => 'Les questions d’un agent vous parviennent toujours',
  ...faultPhrases,
  // Why something is not undone, or not done again.
  removed_since: () => 'Il a été supprimé depuis',
  made_again: () => 'Il a été recréé depuis',
  changed_since_made: () => 'Il a été modifié depuis sa création',
  other_kind: () => 'Autre chose se trouve là depuis',
  change_in_the_way: () => 'Ce qui a été modifié depuis s’y oppose',
  folder_is_link: ({ folder }) => `Le dossier ${folder} est un lien à présent`,
  folder_is_there: ({ path }) => `Un dossier se trouve là depuis, et contient ${path}`,
  other_folder: () => 'Il est dans un autre dossier que le dernier changement : annulez-le séparément',
  undone_together: () => 'Cela a été annulé avec autre chose : rétablissez le tout ensemble',
  nothing_undone: () => 'Rien de cela n’est annulé',
  copied_from: ({ session }) => `C’est une copie de ce qui a été fait dans la session ${session} : annulez-le là-bas`,
  nothing_kept_of_it: () => 'Rien n’en est conservé : cela n’a rien changé qui puisse être annulé',
  workspace_gone: ({ folder }) =>
    `Le dossier ${folder} n’existe plus : remettez-le en place, ou commencez une conversation dans un autre dossier`,
  disk_full: ({ folder, free }) =>
    `Le disque de ${folder} est plein (${free} Mo restants) : libérez de l’espace. Le travail en cours reprend ensuite tout seul ; les nouveaux messages sont à renvoyer`,
  folder_gone: ({ folder }) => `Le dossier ${folder} n’existe plus`,
  command_works: ({ folder }) =>
    `La commande d’un agent travaille dans ${folder} : attendez qu’elle finisse, ou arrêtez-la`,
  no_repository: ({ folder }) => `${folder} n’est dans aucun dépôt git. Pour en créer un, exécutez-y « git init »`,
  commit_failed: ({ output }) => `Git a échoué : « ${output} ». Rien n’a été enregistré`,
  commit_failed_silently: () =>
    'Git a échoué sans rien afficher : un hook a refusé le commit, ou les fichiers sont ceux du dernier commit',
  commit_programs_changed: () =>
    'Les programmes que ce commit exécute ont changé. Rien n’a été enregistré : lisez d’abord la nouvelle liste',
  changed_meanwhile: ({ path }) => `${path} a été modifié depuis`,
  disk_fault: ({ folder, code }) =>
    code === 'ENOSPC' || code === 'EDQUOT'
      ? `Le disque de ${folder} est plein`
      : `Le disque de ${folder} signale une erreur (${code})`,
  none_done_disk: ({ redo }) =>
    `. Rien n’a été ${redo ? 'rétabli' : 'annulé'} : libérez de l’espace ou vérifiez le disque, puis réessayez`,
  undo_incomplete: ({ redo }) =>
    `. ${redo ? 'Le rétablissement' : 'L’annulation'} est incomplet${redo ? '' : 'e'} : libérez de l’espace ou vérifiez le disque, puis rouvrez les changements`,
  in_the_way: ({ path }) => `${path} : `,
  none_done: ({ more, redo, kept }) =>
    `${more > 0 ? ` ; de même pour ${plural(more, 'autre fichier', 'autres fichiers')}` : ''}. Rien n’a été ${redo ? 'rétabli' : 'annulé'}` +
    (kept === null ? '' : ` ; ce qu’il contenait ${redo ? 'alors' : 'avant'} est conservé dans ${kept}`),
  // What a file does that asks for trust.
  trust_gone: () => 'n’est plus là',
  trust_settings: () =>
    'réglages du projet : ce que ses règles autorisent, des limites plus basses que les vôtres, où sont gardées ses sessions',
  trust_server: ({ name, runs, isEnabled, place, sets, gets }) => {
    const verb = isEnabled ? (place === null ? 'joint' : 'démarre') : 'désactivé :';
    const facts = [
      ...(place === null ? [] : [START_PLACES[place]]),
      ...(sets === '' ? [] : [`avec ${sets}`]),
      ...(gets === '' ? [] : [`reçoit ${gets} de votre environnement`]),
    ];
    return `${verb} le serveur MCP ${name} : ${runs}${facts.length === 0 ? '' : ` (${facts.join(' ; ')})`}`;
  },
  trust_server_fault: ({ name, fault }) => `le serveur MCP ${name} n’est pas utilisable : ${fault}`,
  trust_agent: ({ isLead, name, model, permissions, tools, description }) =>
    `${isLead ? 'agent principal' : 'agent'} ${name} · modèle : ${model ?? LEADS} · permissions : ${listOf(permissions, 'aucune')}` +
    ` · outils : ${listOf(tools, 'aucun')}. ${description}`,
  trust_composition: ({ name, primary, coagent, type, rounds, description }) =>
    `composition ${name} · principal : ${primary} · coagent : ${coagent ?? 'aucun'} · déroulement : ${type}` +
    `${rounds === null ? '' : `, ${plural(rounds, 'réponse', 'réponses')} au plus`}. ${description}`,
  // Damage of the stored history.
  store_recovered: (recovery) => {
    const { conversations, events, lostEvents, incomplete, lostTitles, damagedParts, unsure, fromArchive, recent } =
      recovery;
    const parts = [
      ...(lostEvents > 0 ? [`${plural(lostEvents, 'événement', 'événements')} de ${inConversations(incomplete)}`] : []),
      ...(lostTitles > 0 ? [`titre et dossier de ${inConversations(lostTitles)}`] : []),
      ...(damagedParts > 0 ? [`${plural(damagedParts, 'partie', 'parties')} de l’archive`] : []),
    ];
    const losses = [
      ...(parts.length > 0 ? [`Illisible : ${listed(parts)}. « triad doctor --full » dit ce qui manque`] : []),
      ...(unsure > 0
        ? [
            `Les événements les plus récents de ${plural(unsure, 'conversation inachevée', 'conversations inachevées')} manquent peut-être`,
          ]
        : []),
    ];
    const loss = losses.length === 0 ? 'Rien ne manque' : losses.join('. ');
    const disk = isDiskSuspected({ recent })
      ? `. C’est la récupération nº ${recent} en un jour, le disque est peut-être défaillant : copiez le dossier de données sur un autre disque`
      : '';
    const source = fromArchive ? ' depuis son archive' : '';
    const { state, end } = {
      damaged: { state: 'endommagée', end: '. La base endommagée est conservée à côté' },
      older: {
        state: 'endommagée, ou une copie plus ancienne avait été remise en place,',
        end: '. La base remplacée est conservée à côté',
      },
      missing: { state: 'absente', end: '' },
    }[recovery.cause];
    return `La base était ${state} et a été reconstruite${source} avec ${inConversations(conversations)} et ${plural(events, 'événement', 'événements')}. ${loss}${end}${disk}`;
  },
  store_outdated: () =>
    'L’archive contient des événements qui manquent à la base, comme si une copie plus ancienne de la base avait été remise en place. Pour les retrouver, quittez Triad et exécutez « triad restore --from archive »',
  rows_skipped: () =>
    'Une partie de l’historique est illisible, et ne figure ni dans les listes ni dans les pages. « triad doctor --full » dit ce qui manque',
  journal_set_aside: ({ folder }) =>
    `Le journal à côté de la base appartient à une autre base. Il n’a pas été utilisé et se trouve dans ${folder}`,
  journal_damaged: ({ part }) =>
    ({
      record:
        'Une partie du journal est illisible : des événements récents manquent peut-être. « triad doctor --full » les énumère',
      database:
        'La base est plus ancienne que son journal, comme si une copie plus ancienne avait été remise en place. « triad doctor --full » dit ce qui manque. Remettez la base plus récente, ou restaurez une sauvegarde avec « triad restore DIR »',
      missing:
        'Le journal a été supprimé ou tronqué : les derniers changements avant la fin du programme manquent peut-être. « triad doctor --full » compare la base avec son archive',
      end: 'Le dernier enregistrement du journal est incomplet : le dernier événement avant la fin du programme manque peut-être',
    })[part],
} satisfies SameWords<typeof ENGLISH>;
