/** What a check found: fine, worth knowing, or in the way; with what to do about it. */

export interface Finding {
  name: string;
  state: 'ok' | 'warning' | 'problem';
  text: string;
  /** Null where there is nothing to do. */
  advice: string | null;
}

export const ok = (name: string, text: string): Finding => ({ name, state: 'ok', text, advice: null });
export const warning = (name: string, text: string, advice: string): Finding => ({
  name,
  state: 'warning',
  text,
  advice,
});
export const problem = (name: string, text: string, advice: string): Finding => ({
  name,
  state: 'problem',
  text,
  advice,
});

/** The code that the system gave, or the words of anything else. */
export function causeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  return error instanceof Error ? error.message : String(error);
}
