/** How it is said in English that the key that there is belongs to another address. */
import type { KeyElsewhere } from './key-elsewhere.ts';

/** Each without a stop: that, and what to do. */
export function keyElsewhereText({ source, variable, of, to }: KeyElsewhere): { what: string; todo: string } {
  const key = { environment: variable ?? '', file: 'The key in the settings file', store: 'The kept key' }[source];
  return {
    what: `${key} belongs to ${of} and is not sent to ${to}`,
    todo: 'enter the key of this endpoint in the settings, or set the endpoint back',
  };
}

/** Both in one, without a stop. */
export function keyElsewhereSentence(elsewhere: KeyElsewhere): string {
  const { what, todo } = keyElsewhereText(elsewhere);
  return `${what}: ${todo}`;
}
