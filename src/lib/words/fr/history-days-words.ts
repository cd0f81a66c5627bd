/** The words of the history's days, in French: their totals, the chart of them, kept filters and the choice of columns. */
import type { Totals } from '#contract/history/history-methods.ts';
import { dayAfter } from '#lib/view/calendar.ts';
import { dayName, dollars, tokens } from '#lib/view/format.ts';
import type { SameWords } from '../following.ts';
import type { historyDaysWords as english } from '../history-days-words.ts';
import { plural } from './sentences.ts';

/** The cost of what has a price, and that there is more. */
function costOf({ nanoUsd, unpriced }: Pick<Totals, 'nanoUsd' | 'unpriced'>): string {
  if (unpriced === 0) return dollars(nanoUsd);
  return nanoUsd === 0 ? 'coût inconnu' : `${dollars(nanoUsd)} + inconnu`;
}

function tokensOf({ tokens: all, estimated }: Pick<Totals, 'tokens' | 'estimated'>): string {
  return `${estimated > 0 ? '≈ ' : ''}${tokens(all)}`;
}

const orMore = (whole: boolean): string => (whole ? '' : ' ou plus');

export const historyDaysWords = {
  day: (day, today) => (day === today ? 'Aujourd’hui' : day === dayAfter(today, -1) ? 'Hier' : dayName(day, today)),
  counts: {
    workflows: (count, whole) => `${plural(count, 'flux', 'flux')}${orMore(whole)}`,
    agents: (count, whole) => `${plural(count, 'exécution', 'exécutions')}${orMore(whole)}`,
  },
  tokens: (totals) => `${tokensOf(totals)} jetons`,
  tokensOf,
  cost: costOf,
  costWhy: (unpriced) =>
    unpriced === 0
      ? 'Aux prix publics des modèles'
      : `Le prix de ${plural(unpriced, 'requête au modèle', 'requêtes au modèle')} est inconnu`,
  notWhole: 'Seuls les plus récents ont été additionnés : il y en a trop pour tous les compter.',
  saved: {
    open: 'Filtres enregistrés',
    none: 'Aucun filtre enregistré. Réglez-en, puis nommez-les ici.',
    list: 'Filtres enregistrés',
    name: 'Nom de ces filtres',
    save: 'Enregistrer',
    saved: (name) => `Enregistré sous « ${name} »`,
    rename: (name) => `Renommer « ${name} »`,
    newName: (name) => `Nouveau nom de « ${name} »`,
    remove: (name) => `Supprimer « ${name} »`,
    removed: (name) => `« ${name} » supprimé`,
    undo: 'Annuler',
  },
  columns: {
    open: 'Colonnes',
    names: {
      who: { workflows: 'Agents', agents: 'Modèle' },
      outcome: 'Issue',
      duration: 'Travail',
      tokens: 'Jetons',
      cost: 'Coût',
      when: 'Quand',
    },
  },
  values: {
    today: 'Aujourd’hui',
    sevenDays: '7 derniers jours',
    thirtyDays: '30 derniers jours',
    yesterday: 'Hier',
    sinceYesterday: 'Depuis hier',
    otherDay: 'Un autre jour…',
    otherCost: 'Un autre montant…',
    atLeast: (cost) => `${cost} ou plus`,
  },
  chart: {
    open: 'Graphique',
    title: 'Par jour',
    measure: 'Ce que montre le graphique',
    measures: { cost: 'Coût', tokens: 'Jetons' },
    by: 'Répartir par',
    splits: { none: 'Ensemble', agent: 'Agent', model: 'Modèle' },
    period: 'Période',
    periods: (days) => `${days} jours`,
    flat: {
      cost: (unpriced) => (unpriced ? 'Aucun coût connu sur cette période' : 'Aucun coût sur cette période'),
      tokens: () => 'Aucun jeton sur cette période',
    },
    others: 'autres',
    all: 'tout',
    day: 'Jour',
    total: 'Total',
    counted: { workflows: 'Flux', agents: 'Exécutions' },
    hint: 'Les flèches parcourent les jours ; Entrée affiche ce qui a été exécuté un jour.',
    none: 'Rien n’a été exécuté ces jours-là.',
    table: 'Coût et jetons par jour',
    sum: (days, count) => `${plural(days, 'jour', 'jours')}, ${count}`,
    failed: 'Impossible de charger le graphique',
  },
} satisfies SameWords<typeof english>;
