/** An agent of another format as a file of Triad's own. */
import { Document } from 'yaml';
import type { FormValues } from './edit.ts';

export function copyToTriad({ prompt, ...keys }: FormValues): string {
  const document = new Document({});
  for (const [key, value] of Object.entries(keys)) document.set(key, document.createNode(value, { flow: true }));
  const frontmatter = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return `---\n${frontmatter}---\n\n${String(prompt ?? '').trim()}\n`;
}
