/** The readable text of an HTML page as Markdown. Nothing of the page is run, and nothing that it names is loaded. */
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom/worker';
import { cutAtCodePoint } from '../../base/text.ts';
import type { DomDocument, DomElement } from './dom.ts';
import type { PageText } from './page.ts';
import TurndownService from 'turndown';

const MAX_TITLE_CHARS = 200;

/** What no reader sees as text. */
const UNREAD =
  'script, style, noscript, template, iframe, object, canvas, svg, button, select, textarea, input, [hidden]';

/** The main part as Readability finds it, or where it finds none, the whole page. `url`: where it is from. */
export function readable(html: string, url: string): PageText {
  const document = parsed(html, url);
  const language = document.documentElement?.getAttribute('lang') ?? '';
  const title = document.querySelector('title')?.textContent ?? '';
  const serializer = (node: unknown) => node as DomElement;
  const main = new Readability(document as never, { disableJSONLD: true, keepClasses: true, serializer }).parse();
  const found = main?.content ? toMarkdown(main.content) : '';
  // It changes what it looks at, also where it finds nothing.
  const text = found === '' ? toMarkdown(parsed(html, url).body) : found;
  return {
    text: text.toWellFormed(),
    title: oneLine(main?.title || title),
    language: /^[\w-]{1,35}$/.test(language) ? language : null,
    part: found === '' ? 'whole' : 'main',
  };
}

function oneLine(title: string): string | null {
  const line = title.replace(/\s+/g, ' ').trim().toWellFormed();
  return line === '' ? null : cutAtCodePoint(line, MAX_TITLE_CHARS);
}

/** With absolute links, and without what is not read. */
function parsed(html: string, url: string): DomDocument {
  const document = treeOf(html);
  for (const unread of document.querySelectorAll(UNREAD)) unread.remove();
  giveBody(document);
  const base = absolute(document.querySelector('base')?.getAttribute('href') ?? '', url) ?? url;
  for (const link of document.querySelectorAll('a[href]')) {
    const href = absolute(link.getAttribute('href') ?? '', base);
    if (link.textContent.trim() === '' && !link.querySelector('img')) link.remove();
    else if (href === null) link.removeAttribute('href');
    else link.setAttribute('href', href);
  }
  for (const image of document.querySelectorAll('img')) {
    const source = absolute(image.getAttribute('src') ?? '', base);
    if (source === null || !image.getAttribute('alt')) image.remove();
    else image.setAttribute('src', source);
  }
  return document;
}

/** The parser takes the first element for the root, whatever it is. */
function treeOf(html: string): DomDocument {
  const tree = (text: string) => (parseHTML(text) as unknown as { document: DomDocument }).document;
  const document = tree(html);
  return document.documentElement?.nodeName === 'HTML' ? document : tree(`<html><body>${html}</body></html>`);
}

/** The parser adds no body where its tag is left out, and leaves a title where it stands. */
function giveBody(document: DomDocument): void {
  const title = document.querySelector('title');
  if (title) document.head.append(title);
  if (document.querySelector('body')) return;
  const body = document.createElement('body');
  const { documentElement: root } = document;
  body.append(...[...(root?.childNodes ?? [])].filter((node) => node.nodeName !== 'HEAD'));
  root?.append(body);
}

/** Null for what leads nowhere on the web. */
function absolute(address: string, base: string): string | null {
  const url = URL.parse(address, base);
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}

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

/** HTML as Markdown. */
function toMarkdown(element: DomElement): string {
  return service.turndown(element).trim();
}
