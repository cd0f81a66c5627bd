/** Markdown with YAML front matter, as other programs read it. */
import { stringify } from 'yaml';

/** Keys without a value are left out. */
export function markdown(keys: Readonly<Record<string, unknown>>, body: string): string {
  const given = Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== null));
  return `---\n${stringify(given, { lineWidth: 0 })}---\n\n${body}\n`;
}
