/** Formats Markdown with YAML front matter for other programs. */
import { stringify } from 'yaml';

/** Leaves out keys whose value is null. */
export function formatMarkdown(keys: Readonly<Record<string, unknown>>, body: string): string {
  const presentKeys = Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== null));
  return `---\n${stringify(presentKeys, { lineWidth: 0 })}---\n\n${body}\n`;
}
