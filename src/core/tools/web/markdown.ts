/** HTML as Markdown. */
import TurndownService from 'turndown';
import type { DomElement } from './dom.ts';

const service = new TurndownService({
  headingStyle: 'atx',
  hr: '---',
  bulletListMarker: '-',
  codeBlockStyle: 'fenced',
});

/** Tables that say what their columns are; any other orders a page, and is read as paragraphs. */
const isOfData = (node: DomElement): boolean => {
  const table = node.closest('table');
  return table !== null && table.querySelector('th') !== null && table.querySelector('table') === null;
};
const named =
  (...names: string[]) =>
  (node: DomElement): boolean =>
    names.includes(node.nodeName) && isOfData(node);

service.addRule('cell', {
  filter: named('TH', 'TD'),
  replacement: (content) =>
    ` ${content
      .trim()
      .replace(/\s*\n\s*/g, ' ')
      .replaceAll('|', '\\|')} |`,
});
service.addRule('row', {
  filter: named('TR'),
  replacement: (content, node) => {
    const row = node as unknown as DomElement;
    const isFirst = row.closest('table')?.querySelector('tr') === row;
    return `|${content}\n${isFirst ? `|${' --- |'.repeat(row.children.length)}\n` : ''}`;
  },
});
service.addRule('rows', { filter: named('THEAD', 'TBODY', 'TFOOT'), replacement: (content) => content });
service.addRule('table', { filter: named('TABLE'), replacement: (content) => `\n\n${content.trim()}\n\n` });

export function toMarkdown(element: DomElement): string {
  return service.turndown(element).trim();
}
