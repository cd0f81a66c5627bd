/** What core says of agents' files, in French: parts of a fault, which stand one behind the other. */
import type { CutLimit } from '#contract/agent.ts';
import type { FAULTS } from '#contract/agents/fault-phrases.ts';
import type { SameWords } from '../following.ts';
import { de } from './sentences.ts';

interface Place {
  key: string;
  item: number | null;
}

const placeText = ({ key, item }: Place): string => (item === null ? key : `${key} (élément ${item + 1})`);
const said = (place: Place, name: string): string => `${placeText(place)} ${name}`;
const either = (types: string): string => types.replaceAll(' or ', ' ou ');

function cutText({ limit, wanted, most, model }: CutLimit & { model: string }): string {
  const why = limit === 'maxTokens' ? `${model} n’en écrit pas plus` : 'limits.max_iterations_ceiling des réglages';
  return `passe de ${wanted} à ${most} : ${why}`;
}

const REFUSED = 'une exécution est refusée pour cela';

export const faultPhrases = {
  value: (place) => `${placeText(place)} `,
  named: ({ name, ...place }) => `${said(place, name)} : `,
  key_prompt: ({ key }) => `${key} : `,
  refused: ({ path }) => `${path} est refusé : `,
  or_left_out: () => ', ou être absent',
  omitted: () => ' : ignoré',
  mention_left_out: () => ' ; il est ignoré',
  leads_is_used: () => ' : celui du lead est utilisé',
  is_missing: () => 'manque',
  be_text: () => 'doit être du texte',
  not_empty: () => 'ne doit pas être vide',
  one_of: ({ values }) => `doit être l’un de ${values}`,
  whole: () => 'doit être un nombre entier',
  whole_in: ({ min, max }) => `doit être un nombre entier de ${min} à ${max}`,
  at_least: ({ min }) => `doit être au moins ${min}`,
  at_most: ({ max }) => `doit être au plus ${max}`,
  number_in: ({ min, max }) => `doit être un nombre de ${min} à ${max}`,
  minutes_in: ({ max }) => `doit être un nombre supérieur à 0, au plus ${max}`,
  flag: () => 'doit être true ou false',
  longer: ({ max }) => `dépasse ${max} caractères`,
  agent_name: ({ max }) =>
    `doit avoir de 1 à ${max} lettres, chiffres, espaces, « _ », « . » ou « - », et commencer par une lettre ou un chiffre`,
  provider_name: () => 'n’est pas le nom d’un fournisseur',
  server_name: () => 'n’est pas le nom d’un serveur MCP',
  tool_list: () => 'doit être une liste de noms d’outils, comme [read_file, grep]',
  server_list: () => 'doit être une liste de noms de serveurs MCP, comme [github, memory]',
  permission_list: () => 'doit être une liste de permissions, comme [FilesystemRead, FilesystemWrite]',
  approval_list: () => 'doit être une liste de permissions et de noms d’outils, comme [FilesystemWrite]',
  foreign_servers: () => 'doit être une liste de noms de serveurs',
  criteria: () => 'doit être du texte, ou une liste de textes dont aucun n’est vide',
  next_empty: () => 'doit nommer un agent, ou être absent',
  next_names: () => 'doit être le nom d’un agent, ou une liste de noms',
  schema: () => 'doit être un JSON Schema : ses clés, ou du texte JSON',
  json_object: () => 'doit être un objet JSON',
  bad_json: ({ why }) => `n’est pas du JSON valide : ${why}`,
  too_deep: () => 'est trop imbriqué',
  longer_json: ({ max }) => `dépasse ${max} caractères de JSON`,
  slow_schema: () => 'prend trop de temps à lire',
  async_schema: () => 'ne doit pas être asynchrone : enlevez $async',
  bad_schema: ({ why }) => `n’est pas un JSON Schema valide : ${why}`,
  cut: cutText,
  many_keys: ({ max }) => `le fichier a plus de ${max} clés`,
  key_no_text: () => 'une clé doit être du texte simple',
  unknown_key: ({ key }) => `clé inconnue ${key}`,
  unknown_in_section: ({ key, section }) => `clé inconnue ${key} dans [${section}]`,
  unknown_section: ({ key }) => `section ou clé inconnue ${key}`,
  no_section: ({ section }) => `${section} doit être une section : écrivez [${section}] au-dessus de ses clés`,
  other_section: ({ key, section }) => `${key} va dans la section [${section}]`,
  said_above: ({ key, above }) => `${key} redit ce que ${above} dit plus haut : gardez l’un des deux`,
  said_twice: ({ key, other }) => `${key} redit ce que dit ${other} : gardez l’un des deux`,
  bad_toml: ({ why }) => `le fichier n’est pas du TOML valide : ${why}`,
  bad_yaml: ({ why }) => `l’en-tête n’est pas du YAML valide : ${why}`,
  no_frontmatter: () =>
    'le fichier doit commencer par un en-tête : une ligne `---`, les clés, et une autre ligne `---`',
  long_frontmatter: ({ max }) => `l’en-tête dépasse ${max} Kio`,
  frontmatter_no_keys: () => 'l’en-tête doit être des clés avec des valeurs',
  key_twice: ({ key }) => `la clé ${key} figure ici une seconde fois`,
  empty_prompt: () => 'le texte sous l’en-tête est le prompt système et ne doit pas être vide',
  long_prompt: ({ max }) => `le prompt système dépasse ${max} caractères`,
  prompt_text: () => 'system doit être le texte, sur place entre """ et """, ou { file = "NOM.md" }',
  unknown_variable: ({ key, name }) =>
    `${key ?? 'le prompt système'} : il n’y a pas de variable {{${name}}} ; pour le texte lui-même, écrivez \\{{${name}}}`,
  unreadable: ({ why }) => `illisible : ${why}`,
  instructions_lead_out: () => 'n’est pas lu : c’est un lien qui sort du projet',
  unreadable_folder: ({ why }) => `le dossier est illisible : ${why}`,
  many_files: ({ max }) => `seuls les ${max} premiers fichiers du dossier sont lus`,
  many_folders: ({ max }) => `seuls ses ${max} premiers dossiers sont lus`,
  unsafe: ({ what, remedy }) => `d’autres que vous peuvent l’écrire (${what} : ${remedy})`,
  inline_prompt: () => 'un prompt dans son propre fichier est pour vos agents à vous : écrivez-le sur place ici',
  prompt_outside: ({ file, folder }) => `${file} doit être le nom d’un fichier de ${folder}`,
  prompt_leads_out: ({ file, folder }) => `${file} mène hors de ${folder}`,
  prompt_unreadable: ({ path, why }) => `${path} est illisible : ${why}`,
  prompt_missing: ({ path }) => `${path} n’existe pas`,
  name_taken: ({ name, path }) => `le nom ${name} est pris par ${path}`,
  name_of_agent: ({ name, path }) => `le nom ${name} est pris par l’agent de ${path}`,
  lead_name: ({ name }) =>
    `le nom ${name} est celui du lead : écrivez \`role: primary\` pour le remplacer, ou prenez un autre nom`,
  idle_reflection: ({ key }) => `${key} ne change rien sans enable_reflection: true`,
  model_unknown: ({ model, known }) => `le modèle ${model} est inconnu : prenez ${known}, ou l’id d’un modèle`,
  no_tool: ({ name, ...place }) => `${said(place, name)} n’est pas un outil`,
  no_permission: ({ name, ...place }) => `${said(place, name)} n’est ni une permission ni un outil`,
  idle_permission: ({ name, ...place }) =>
    `${said(place, name)} : seuls des outils de serveurs MCP que vous classez ainsi en ont besoin, et un lead qui n’en a pas ne peut pas la donner`,
  tool_needs: ({ name, needs, ...place }) =>
    `${said(place, name)} a besoin ${de(needs)}, que permissions n’a pas : l’agent ne l’obtient pas`,
  leads_tool: ({ name, starts, ...place }) =>
    `${said(place, name)} n’est que pour les leads${starts ? ' : un sous-agent ne peut pas en lancer d’autres' : ''}`,
  no_server: ({ server }) => `il n’y a pas de serveur MCP ${server} ici : « triad mcp add ${server} » en installe un`,
  server_unused: ({ server }) =>
    `le serveur MCP ${server} n’est pas utilisé ici : « triad mcp show ${server} » dit pourquoi`,
  server_unasked: ({ server }) =>
    `il n’a jamais été demandé au serveur MCP ${server} ce qu’il offre : « triad mcp test ${server} » le fait`,
  no_server_tool: ({ server }) => `le serveur MCP ${server} n’offre pas un tel outil`,
  json_needs_schema: () => 'input_format json a besoin d’input_schema, qui dit ce qui est accepté',
  schema_needs_json: ({ side, format }) =>
    `${side}_schema a besoin de ${side}_format: json${format === null ? '' : `, et non ${format}`}`,
  for_started: ({ key }) => `${key} est pour les agents qu’un lead lance : celui-ci a role primary`,
  idle_next: ({ first }) => `next : seule la première entrée, ${first}, est lancée ; celle-ci ne l’est pas`,
  provider_missing: ({ provider, names }) => `${provider} n’existe pas ; il y a ${names}`,
  no_default_model: ({ provider }) =>
    `${provider} n’a pas de modèle pour les agents qui n’en nomment pas : nommez-en un, ou réglez providers.${provider}.defaults.model`,
  cold: ({ address, provider, local }) =>
    `temperature ne change rien chez ${address} : ${
      local
        ? `elle n’est envoyée qu’à un serveur de cette machine que nomme providers.${provider}.base_url ; effort dit combien le modèle réfléchit`
        : `réglez supports_temperature sous providers.${provider}.models là où un modèle l’accepte`
    }`,
  model_disabled: ({ model, enabled }) => `${model} n’est pas activé : models.enabled a ${enabled}`,
  model_unchecked: ({ model, address }) =>
    `${model} n’est pas vérifié : ${address} n’a pas donné la liste de ses modèles`,
  model_unlisted: ({ model, address, day, some }) =>
    `${model} n’est pas dans la liste de ${address} du ${day}, qui a ${some}`,
  may_be_refused: () => ' ; le serveur peut le refuser',
  as_it_is: ({ words }) => words,
  no_agent: () => 'le fichier n’a pas d’en-tête : ce n’est pas un agent',
  no_prompt: () => 'il n’y a pas de texte sous l’en-tête, et c’est lui le prompt système',
  no_name: () => 'ni le nom ni celui du fichier ne peut nommer un agent',
  foreign_lead: ({ name }) => `le nom ${name} est celui du lead : prenez un autre nom`,
  no_counterpart: ({ key }) => `${key} n’a pas d’équivalent ici : c’est gardé, et ne change rien`,
  name_changed: ({ name }) => `name ne peut pas servir tel quel : c’est ${name} ici`,
  no_description: () => 'description manque : la première ligne du prompt la remplace',
  sub_agent_mode: ({ mode }) => `mode ${mode} : c’est un sous-agent ici`,
  foreign_model: ({ model, known }) =>
    `le modèle ${model ?? 'de cette forme'} est inconnu : celui du lead est utilisé ; sont connus ${known}, ou l’id d’un modèle`,
  servers_within: () =>
    'mcpServers définit des serveurs dans ce fichier : seuls des noms de serveurs installés sont utilisés',
  foreign_tools: ({ names }) => `outils sans équivalent ici, ignorés : ${names}`,
  foreign_leads: ({ names }) => `outils réservés aux leads, ignorés : ${names}`,
  tools_stay: ({ key, names }) => `${key} ne peut pas enlever ceux-ci ici : ${names}`,
  mode_asks: ({ mode }) => `permissionMode ${mode} n’a pas d’équivalent ici : écrire est demandé, comme toujours`,
  other_permissions: ({ names }) => `permission n’a pas d’équivalent ici pour : ${names}`,
  allow_asks: () => 'permission allow n’a pas d’équivalent ici : écrire est demandé, comme toujours',
  no_such_agent: () => 'il n’y a pas un tel agent',
  disabled_in: ({ path }) => `il est désactivé dans ${path}`,
  overridden: ({ path, by }) => `${path} est remplacé par ${by}`,
  is_composition: () => 'c’est une composition elle-même : nommez un agent',
  is_followed: () => 'un autre agent le suit (next) : un coagent est seul',
  judge_reads: ({ names }) => `un juge ne fait que lire, il n’obtient donc pas ${names}`,
  coagent_lacks: ({ names, primary }) => `il nomme ${names}, que ${primary} n’a pas : ${REFUSED}`,
  stage_lacks: ({ stage, names, first }) => `next : ${stage} nomme ${names}, que ${first} n’a pas : ${REFUSED}`,
  follows_nobody: () => 'il mène des conversations, et ne suit personne',
  recursion: ({ round }) => `la chaîne tourne en rond : ${round}`,
  long_chain: ({ length, max }) => `next : ${length} agents se suivraient, et ${max} au plus le peuvent`,
  takes_json: ({ next, format }) => `next ${next} : il accepte du JSON, output_format ${format} ne compte donc pas`,
  reason_unfit: ({ text }) =>
    `son input_schema exige une « reason » à laquelle aucun de nos textes ne convient (« ${text} »)`,
  types_apart: ({ takes, gives }) => `il accepte ${either(takes)}, et output_schema donne ${either(gives)}`,
  property_missing: ({ name }) => `il exige « ${name} », qu’output_schema n’a pas`,
  property_untaken: ({ name }) => `il n’accepte pas « ${name} », qu’output_schema exige`,
  property_apart: ({ name, takes, gives }) =>
    `il accepte « ${name} » comme ${either(takes)}, et output_schema donne ${either(gives)}`,
  hitl_coagent: () =>
    'rien n’est demandé à composition.coagent dans un hitl : enlevez-le, ou prenez un autre control_flow.type',
  needs_coagent: ({ type }) => `control_flow.type ${type} a besoin d’un coagent : nommez-en un dans [composition]`,
  hitl_bound: ({ key }) => `${key} ne borne rien dans un hitl, qui finit avec la première réponse entière`,
  no_bound: ({ key, type }) => `${key} ne borne pas un ${type}`,
  handoff_text: () => 'handoff.type a besoin de handoff.text',
  handoff_type: ({ key, type }) => `${key} n’est pas d’un handoff de type ${type} : écrivez-le comme handoff.text`,
  hitl_handoff: ({ key }) => `${key} n’est dit à personne dans un hitl : enlevez [handoff]`,
  idle_variable: ({ key, name, type }) =>
    `${key} : {{${name}}} reste tel quel dans un handoff de type ${type} : les variables sont celles du type template`,
} satisfies SameWords<typeof FAULTS>;
