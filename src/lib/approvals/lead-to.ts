/** The way from an answer that comes too early to what it waits for. */

export interface Waits {
  key: string;
  label: string;
  /** Brings it into sight, and the focus with it. */
  lead: () => Promise<void>;
}

/** Leads to the first of them, then says what is waited for: twice the same must be heard twice. */
export async function leadTo([first]: readonly Waits[], sentence: string, say: (told: string) => void): Promise<void> {
  if (!first) return;
  say('');
  await first.lead();
  say(`${sentence} ${first.label}`);
}
