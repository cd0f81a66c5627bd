/** Sentences that depend on numbers or codes. */

export function plural(value: number, one: string, many: string): string {
  return `${value} ${value === 1 ? one : many}`;
}

/** Only what the sentences about these errors do not say already. */
const ADVICE: Readonly<Partial<Record<string, string>>> = {
  bad_request: 'Check the model and the limits, then try again.',
  refused: 'Say it differently, or ask for something else.',
  max_tokens: 'Ask for a shorter answer, or for the work in smaller steps.',
  doom_loop: 'Say more precisely what is wanted, then send it again.',
  max_iterations: 'Extend it to go on, or ask for smaller steps.',
  inactive: 'The model or a tool went silent: send the message again.',
  interrupted: 'Resume it to go on from the last finished step.',
  already_answered: 'Another window was first.',
};

/** What to do about an error of this code; empty where the message says it all. */
export function advice(code: string): string {
  return ADVICE[code] ?? '';
}

/** Whether the remedy for an error code is on the settings page. */
export function leadsToSettings(code: string): boolean {
  return code === 'no_key' || code === 'auth' || code === 'unreachable';
}
