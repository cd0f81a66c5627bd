/** Parts of French sentences: numbers and what is counted, lists, elision; and what to do about errors. */
import type { ApprovalMode } from '#contract/agent.ts';

const rules = new Intl.PluralRules('fr');
const whole = new Intl.NumberFormat('fr');
const lists = new Intl.ListFormat('fr', { type: 'conjunction' });

/** `0 fichier`, `1 fichier`, `2 fichiers`. */
export function plural(value: number, one: string, many: string): string {
  return `${whole.format(value)} ${isOne(value) ? one : many}`;
}

/** Whether what is counted stands in the singular, as it does in French for 0 and for 1. */
export function isOne(value: number): boolean {
  return rules.select(value) === 'one';
}

export function number(value: number): string {
  return whole.format(value);
}

/** `a, b et c`. */
export function listed(parts: readonly string[]): string {
  return lists.format(parts);
}

/** `d’explorer`, `de lead`. */
export function de(name: string): string {
  return `${elides(name) ? 'd’' : 'de '}${name}`;
}

/** `qu’explorer`, `que lead`. */
export function que(name: string): string {
  return `${elides(name) ? 'qu’' : 'que '}${name}`;
}

const elides = (name: string): boolean => /^[aeiouyàâéèêëîïôûœ]/i.test(name);

export function capital(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
}

/** Files and rules keep the English names. */
export const modeNames: Readonly<Record<ApprovalMode, string>> = {
  manual: 'manuel',
  selective: 'sélectif',
  auto: 'automatique',
};

/** Only what the sentences about these errors do not say already. */
const ADVICE: Readonly<Partial<Record<string, string>>> = {
  bad_request: 'Vérifiez le modèle et les limites, puis réessayez.',
  refused: 'Formulez-le autrement, ou demandez autre chose.',
  max_tokens: 'Demandez une réponse plus courte, ou un travail en étapes plus petites.',
  doom_loop: 'Précisez ce que vous voulez, puis renvoyez le message.',
  max_iterations: 'Prolongez pour continuer, ou demandez des étapes plus petites.',
  inactive: 'Le modèle ou un outil ne répond plus : renvoyez le message.',
  interrupted: 'Reprenez pour continuer à partir de la dernière étape terminée.',
  already_answered: 'Une autre fenêtre a été plus rapide.',
};

/** What to do about an error of this code; empty where the message says it all. */
export function advice(code: string): string {
  return ADVICE[code] ?? '';
}
