/**
 * From a Markdown block to HTML that may be shown: nothing of what a model writes runs, loads or looks like the app.
 */
import DOMPurify, { type Config } from 'dompurify';
import { Parser, Renderer, type Token, type Tokens } from 'marked';
import { wordsOf } from './growth.ts';

const TAGS =
  'a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i li ol p pre s strong sub sup table tbody td th thead tr ul';

/** Only addresses that a browser or a mail program opens. */
const ADDRESS = /^(?:https?:\/\/|mailto:)/i;

/** One object, since it is read anew wherever it is another. */
const SAFE: Config & { RETURN_TRUSTED_TYPE: true } = {
  ALLOWED_TAGS: TAGS.split(' '),
  ALLOWED_ATTR: ['href', 'title', 'target', 'rel', 'data-target', 'data-task', 'start', 'align'],
  ALLOW_DATA_ATTR: false,
  ALLOWED_URI_REGEXP: ADDRESS,
  // Otherwise the values of all attributes would have to be addresses.
  ADD_URI_SAFE_ATTR: ['title', 'target', 'rel', 'data-target', 'data-task', 'start', 'align'],
  RETURN_TRUSTED_TYPE: true,
};

class SafeRenderer extends Renderer {
  readonly #below: number;

  constructor(below: number) {
    super();
    this.#below = below;
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const level = Math.min(depth + this.#below, 6);
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
  }

  /** Markup in a text is shown as it was written. */
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return escapeHtml(text);
  }

  /** A task has its box instead of a bullet. */
  override listitem(item: Tokens.ListItem): string {
    const html = super.listitem(item);
    return item.task ? html.replace(/^<li>/, '<li data-task="">') : html;
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return checked ? '☑ ' : '☐ ';
  }

  /** Pictures are not fetched: an address is enough to send data out. */
  override image({ href, text }: Tokens.Image): string {
    return linkTo(href, escapeHtml(text === '' ? href : text));
  }

  override link({ href, tokens }: Tokens.Link): string {
    return linkTo(href, this.parser.parseInline(tokens));
  }
}

/** Whether there is a page for which HTML can be made safe; without one, texts are shown as they are written. */
export function canFormat(): boolean {
  return DOMPurify.isSupported;
}

/**
 * HTML of one block as a string, so that an unchanged block is detected by comparing. `below`: how many levels its headings
 * stand below their own, where they could be taken for those of the app.
 */
export function htmlOf(token: Token, below = 0): string {
  return Parser.parse([token], { gfm: true, renderer: new SafeRenderer(below) });
}

/**
 * What may be put into the page for a block's HTML. Words alone are put in as text, which can be nothing else: sanitising
 * would cost more than all the rest of a short message.
 */
export function builtOf(html: string): { plain: string } | { safe: string } {
  const plain = wordsOf(html);
  return plain === null ? { safe: trusted(html) } : { plain };
}

/** Passes only known tags and attributes, as the page's Trusted Types policy wants it. */
function trusted(html: string): string {
  const safe = DOMPurify.sanitize(html, SAFE);
  // `{@html}` is typed for strings and takes trusted values as they are.
  return safe as unknown as string;
}

function linkTo(href: string, content: string): string {
  if (!ADDRESS.test(href)) return `${content} (${escapeHtml(href)})`;
  const address = escapeHtml(href);
  const host = hostOf(href);
  const attributes = `href="${address}" title="${address}" target="_blank" rel="noopener noreferrer"`;
  // The text of a link may lie about where it goes.
  const target = content.includes(host) ? '' : ` data-target="${escapeHtml(host)}"`;
  return `<a ${attributes}${target}>${content}</a>`;
}

function hostOf(href: string): string {
  const url = URL.canParse(href) ? new URL(href) : null;
  if (url === null) return href;
  return url.protocol === 'mailto:' ? url.pathname : url.host;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
