/** The words of the inbox, in French: the questions of all conversations, and what was answered last. */
import type { SameWords } from '../following.ts';
import type { inboxWords as english } from '../inbox-words.ts';

export const inboxWords = {
  title: 'Approbations',
  waiting: (value) => `${value} en attente`,
  open: (value) => `${value} en attente : ouvrir les questions`,
  openAll: (value) => `${value} en attente : ouvrir la liste`,
  detail: 'La question',
  keys: '↑ ↓ ou j k parcourent la liste, Entrée en ouvre une. Seuls ses boutons et leurs touches répondent.',
  conversation: 'Ouvrir la conversation',
  in: (title) => `dans « ${title} »`,
  asleep: 'interrompu',
  empty: 'Rien ne vous attend',
  emptySteps: [
    'Sauf si un mode, une règle ou une autorisation le permet, la question arrive ici avant qu’un sous-agent démarre et avant qu’un agent écrive, quelle que soit la conversation ; de même ce qu’une règle demande, et ce qu’un agent vous demande lui-même.',
    'Fermer une question ou quitter cette page ne répond à rien. Ce à quoi vous ne répondez pas à temps est un non (un oui seulement si la question le dit), ou est passé si un agent voulait seulement savoir.',
    'Ce qui ne doit plus être demandé s’autorise avec la réponse, ou s’écrit comme règle.',
  ],
  toPermissions: 'Règles et autorisations',
  recent: 'Réponses récentes',
  recentEmpty: 'Rien n’a encore été demandé.',
  recentFailed: 'Impossible de charger les réponses récentes',
  columns: { what: 'Question', agent: 'Agent', answer: 'Réponse', by: 'Par', when: 'Quand' },
} satisfies SameWords<typeof english>;
