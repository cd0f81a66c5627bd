/** An agent of another format as a file of Triad's own. */
import { Document } from 'yaml';
import type { Values } from './edit.ts';

export function copyText({ prompt, ...keys }: Values): string {
  const document = new Document({});
  for (const [key, value] of Object.entries(keys)) document.set(key, document.createNode(value, { flow: true }));
  const frontmatter = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return `---\n${frontmatter}---\n\n${String(prompt ?? '').trim()}\n`;
}
