/** What core says in sentences of its own, in French: from keys and values where it sends them, else as it is. */
import type { OwnActions } from '#contract/approval.ts';
import { cutIn } from '#contract/cut-limits-text.ts';
import type { ErrorCode } from '#contract/error.ts';
import type { Flow } from '#contract/agent.ts';
import type { Missing } from '#contract/missing.ts';
import { ownActionsText } from '#contract/own-actions-text.ts';
import { lengthOf } from '#contract/visible-text.ts';
import { dollars } from '#lib/view/format.ts';
import type { SameWords } from '../following.ts';
import type { saidWords as english } from '../said-words.ts';
import { connection } from './connection-words.ts';
import { sentences } from './phrase-sentences.ts';
import { listed, number, plural } from './sentences.ts';

/** Sentences for errors whose code says enough. */
const errors: Readonly<Partial<Record<string, string>>> = {
  limit_reached: 'Une limite est atteinte',
  depth_exceeded: 'Un sous-agent ne peut pas en lancer d’autres',
  not_allowed: 'Ce n’est pas permis ici',
  no_key: 'Aucun fournisseur de modèles n’est prêt : il manque une clé',
  auth: 'Le fournisseur a refusé la clé',
  rate_limited: 'Le fournisseur limite le rythme des requêtes. Cela peut passer après un moment',
  overloaded: 'Le fournisseur est surchargé. Cela peut passer après un moment',
  unreachable: 'Le serveur est injoignable, ou la connexion s’est coupée',
  disconnected: 'Le processus qui travaillait a disparu : ce qui lui était demandé a peut-être eu lieu',
  bad_request: 'Le fournisseur a refusé la requête',
  provider: 'Le fournisseur a répondu par une erreur',
  refused: 'Le modèle a décliné',
  max_tokens: 'La réponse a atteint sa longueur maximale',
  doom_loop: 'L’agent se répétait et a été arrêté',
  reflection_failed: 'La réponse n’a pas passé sa relecture, et il ne reste plus d’essai',
  invalid_chain_payload: 'Ce qu’un maillon a rendu n’est pas ce que le suivant attend',
  invalid_output: 'Le rapport n’est pas ce que promet le fichier de l’agent',
  chain_failed: 'Un maillon n’a pas abouti : les suivants n’ont pas démarré',
  rounds_used: 'Toutes les passes sont utilisées, et aucune réponse n’a été jugée complète',
  coagent_failed: 'Le coagent n’a pas abouti : personne n’a jugé la réponse',
  max_iterations: 'La limite de tours est atteinte',
  inactive: 'Plus aucun signe de vie',
  envelope_mismatch: 'Ce qui était enregistré n’est pas ce qui a été approuvé : rien n’a démarré',
  store_locked: 'La base est ouverte dans un autre processus',
  store_unwritable: 'Impossible d’écrire dans la base',
  store_failed: 'La base a échoué',
  cancelled: 'Arrêté',
  interrupted: 'Le travail a été interrompu',
  already_answered: 'Cette question a déjà reçu une réponse',
} satisfies Partial<Record<ErrorCode, string>>;

const NANO_USD_OF_A_CENT = 1e7;
function ownActions(...[item, envelope]: Parameters<typeof ownActionsText>): string {
  const asCore = ownActionsText(item, envelope);
  const own: OwnActions | undefined = item.ownActions;
  if (!own?.says) return asCore;
  const writes = own.writers.some((name) => envelope.tools.includes(name));
  const said = sentences(writes ? own.says.byMode[envelope.approvalMode] : own.says.without, asCore);
  return said.endsWith('.') ? said : `${said}.`;
}

function flowText({ type, rounds, coagent }: Flow): string {
  if (type === 'hitl') return '';
  const who = coagent === undefined ? 'continuant seul' : `avec le coagent ${coagent.agent}`;
  return `${who}, ${type}, ${plural(rounds, 'passe', 'passes')} au plus`;
}

const MISSING: Readonly<Record<Missing['kind'], readonly [string, string]>> = {
  workflows: ['flux', 'flux'],
  runs: ['exécution', 'exécutions'],
  events: ['événement', 'événements'],
  entries: ['message ou résultat', 'messages et résultats'],
  calls: ['appel d’outil', 'appels d’outils'],
  requests: ['requête au modèle', 'requêtes au modèle'],
  approvals: ['approbation', 'approbations'],
  rows: ['enregistrement', 'enregistrements'],
};

/** What the screens say themselves is in French already. */
const isOwn = (message: string): boolean => Object.values<string>(connection).includes(message);

const errorSentence = (code: string, message: string): string | undefined =>
  isOwn(message) ? undefined : errors[code];

export const saidWords = {
  title: ({ title, says }) => sentences(says && [says.title], title),
  description: ({ description, says }) => sentences(says?.description, description),
  step: ({ text, says }) => sentences(says && [says], text),
  reason: ({ reason, says }) => sentences(says && [says], reason),
  fault: ({ message, says }) => sentences(says, message, ''),
  asks: ' ?',
  ownActions,
  serving: (envelope) => {
    const [first = '', ...others] = [envelope, ...envelope.stages].map(({ agent, flow }) => {
      const turns = flow ? flowText(flow) : '';
      return turns === '' ? agent : `${agent} ${turns}`;
    });
    const line = [first, ...others.map((one) => `puis ${one}`)].join(', ');
    return line === envelope.agent ? '' : line;
  },
  worst: ({ requests, nanoUsd }) => {
    const cost =
      nanoUsd === null
        ? 'coût inconnu'
        : `${dollars(Math.ceil(nanoUsd / NANO_USD_OF_A_CENT) * NANO_USD_OF_A_CENT)} au plus`;
    return `${plural(requests, 'requête', 'requêtes')} au plus · ${cost}`;
  },
  cut: (envelope) =>
    cutIn(envelope)
      .map(({ limit, wanted, most }) =>
        limit === 'maxTokens'
          ? `jetons par réponse, de ${wanted} à ${most} : ${envelope.model} n’en écrit pas plus`
          : `tours, de ${wanted} à ${most} : limits.max_iterations_ceiling des réglages`,
      )
      .join(' ; '),
  length: (value) => {
    const { lines, characters } = lengthOf(value);
    return `${plural(lines, 'ligne', 'lignes')}, ${plural(characters, 'caractère', 'caractères')}`;
  },
  missing: (missing) => {
    const counts = new Map<Missing['kind'], number>();
    for (const { kind, count } of missing ?? []) counts.set(kind, (counts.get(kind) ?? 0) + count);
    if (counts.size === 0) return null;
    const what = listed([...counts].map(([kind, count]) => plural(count, ...MISSING[kind])));
    return `Cet historique est incomplet : ${what} introuvables ou illisibles dans la base. Pour les retrouver, restaurez une sauvegarde avec « triad restore DIR ».`;
  },
  unlisted: ({ conversations, workflows }) => {
    const parts = [
      ...(conversations > 0 ? [plural(conversations, 'conversation', 'conversations')] : []),
      ...(workflows > 0 ? [plural(workflows, 'flux', 'flux')] : []),
    ];
    if (parts.length === 0) return null;
    return `Les listes sont incomplètes : au moins ${listed(parts)} illisibles dans la base. « triad doctor --full » dit ce qui manque ; pour le retrouver, restaurez une sauvegarde avec « triad restore DIR ».`;
  },
  notice: ({ message, says }) => `${sentences(says, message)}.`,
  mark: ({ kind, text, count }) => {
    if (kind !== 'gap')
      return text
        .replace(/^⟦mixes (.*)⟧$/, '⟦mêle $1⟧')
        .replace(' and ', ' et ')
        .replace(' marks⟧', ' marques⟧');
    return `⋯ ${number(count)} ${text.includes('lines') ? 'lignes vides' : 'espaces'} ⋯`;
  },
  error: (code, message) => errorSentence(code, message) ?? message,
  detail: (code, message) => (errorSentence(code, message) === undefined ? '' : message),
  failure: ({ code, message, says }) => {
    if (says) return sentences(says, message, '');
    const sentence = errorSentence(code, message);
    return sentence === undefined ? message : `${sentence} (${message})`;
  },
  trust: ({ says, phrases }) => sentences(phrases, says, ' · '),
  why: ({ why = '', says }) => sentences(says && [says], why),
} satisfies SameWords<typeof english>;
