/** Compares the names of models with the list that an endpoint gave. */

/**
 * Returns the spelling in which a listed model is requested: the id itself, or the listed id that differs from it only in
 * case or a `models/` prefix. Null for a model that is not in the list.
 */
export function listedId(models: readonly string[], id: string): string | null {
  if (models.includes(id)) return id;
  const plain = plainId(id);
  const same = models.find((one) => plainId(one) === plain);
  return same ?? (models.some((one) => isVariant(plain, plainId(one))) ? id : null);
}

/** Returns the listed model with the highest version whose name contains the word; null without one. */
export function newestOfFamily(models: readonly string[], family: string): string | null {
  const members = concreteModels(models).filter((one) => wordsIn(one).includes(family));
  return members.sort((one, other) => compareAge(other, one))[0] ?? null;
}

/** Returns the only model of a list; null for a longer list. */
export function onlyModel(models: readonly string[]): string | null {
  return models.length === 1 ? (concreteModels(models)[0] ?? null) : null;
}

/** Returns whether a model's id contains this word. */
export function hasWord(id: string, word: string): boolean {
  return wordsIn(id).includes(word);
}

/** Returns the ids without the patterns (`vendor/*`) that gateways list. */
export function concreteModels(models: readonly string[]): string[] {
  return models.filter((one) => !one.includes('*'));
}

function plainId(id: string): string {
  return id.toLowerCase().replace(/^models\//, '');
}

/**
 * Returns whether a listed model answers for an id: lists contain patterns, and dates or `latest` tags that requests may leave
 * out. Gateways accept ids with a routing suffix that is not listed, such as `:nitro`; a tag with digits, such as `:32b`,
 * names another model.
 */
function isVariant(id: string, listed: string): boolean {
  if (listed.includes('*')) return id.startsWith(listed.slice(0, listed.indexOf('*')));
  if (id.replace(/:[a-z]+$/, '') === listed) return true;
  const bare = bareId(id);
  const isPinned = /[-@]\d{8}$/.test(id);
  return listed === bare || (!isPinned && bareId(listed) === bare);
}

function bareId(id: string): string {
  return id.replace(/([-@]\d{8}|[-:]latest)$/, '');
}

function wordsIn(id: string): string[] {
  return id.toLowerCase().split(/[^a-z0-9]+/);
}

/** Numbers with more digits are dates. */
const MAX_VERSION_DIGITS = 3;

/** Compares by version, then by date; of equals the shorter id, which names no variant, is the newer. */
function compareAge(one: string, other: string): number {
  const [version, otherVersion] = [numbersIn(one, false), numbersIn(other, false)];
  const [date, otherDate] = [numbersIn(one, true), numbersIn(other, true)];
  return compareNumbers(version, otherVersion) || compareNumbers(date, otherDate) || other.length - one.length;
}

function numbersIn(id: string, areDates: boolean): number[] {
  return wordsIn(id)
    .filter((word) => /^\d+$/.test(word) && word.length > MAX_VERSION_DIGITS === areDates)
    .map(Number);
}

function compareNumbers(one: readonly number[], other: readonly number[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
