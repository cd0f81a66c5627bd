/**
 * From a Markdown block to HTML that may be shown: nothing of what a model writes runs, loads or looks like the app.
 */
import { revealControls } from '#contract/visible-text.ts';
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
  #isInLink = false;

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

  /** Pictures are not fetched: an address is enough to send data out. In a link, a picture is its text. */
  override image({ href, text }: Tokens.Image): string {
    const label = text === '' ? href : text;
    return this.#isInLink ? escapeHtml(label) : linkTo(href, escapeHtml(label), label);
  }

  override link({ href, tokens }: Tokens.Link): string {
    const [only, ...others] = tokens;
    this.#isInLink = true;
    const content = this.parser.parseInline(tokens);
    this.#isInLink = false;
    return linkTo(href, content, only?.type === 'text' && others.length === 0 ? only.raw : null);
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
  const html = Parser.parse([token], { gfm: true, renderer: new SafeRenderer(below) });
  return revealControls(html.includes('&') ? decodeMarks(html) : html);
}

/** Named references to marks. Other characters that rearrange or cover text have numbers only. */
const MARK_NAMES: Readonly<Record<string, string>> = {
  DotDot: '\u20DC',
  DownBreve: '\u0311',
  TripleDot: '\u20DB',
  tdot: '\u20DB',
};

/** Replaces references to characters, so that none of them escapes `revealControls`. */
function decodeMarks(html: string): string {
  return html.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w+));/g, (reference, decimal, hex, name) => {
    if (name !== undefined) return MARK_NAMES[String(name)] ?? reference;
    const code = decimal === undefined ? parseInt(String(hex), 16) : Number(decimal);
    const isLetter = code >= 0xa0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isLetter ? String.fromCodePoint(code) : reference;
  });
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

/** Returns a link with its host, unless the text is the address. `text`: text of the link; null if it has markup. */
function linkTo(href: string, content: string, text: string | null): string {
  if (!ADDRESS.test(href)) return `${content} (${escapeHtml(href)})`;
  const { address, host } = readAddress(href);
  const attributes = `href="${escapeHtml(address)}" title="${escapeHtml(address)}" target="_blank" rel="noopener noreferrer"`;
  const isAddress = text !== null && matchesAddress(text, href, host);
  return `<a ${attributes}${isAddress ? '' : ` data-target="${escapeHtml(host)}"`}>${content}</a>`;
}

/** Returns true for the address with or without its scheme, if its host is written as the browser reads it. */
function matchesAddress(text: string, href: string, host: string): boolean {
  const scheme = /^(?:https?:\/\/|mailto:)/.exec(href)?.[0] ?? '';
  const bare = text.startsWith(scheme) ? text.slice(scheme.length) : text;
  const rest = bare.slice(host.length);
  return bare.startsWith(host) && /^(?:$|[/?#])/.test(rest) && (rest === '' || `${scheme}${bare}` === href);
}

/** Returns the host as the browser reads it: in lower case, without a user, international names in ASCII. */
function readAddress(href: string): { address: string; host: string } {
  const url = URL.canParse(href) ? new URL(href) : null;
  if (url === null) return { address: href, host: href };
  // Percent encoding preserves characters that `revealControls` would replace.
  const address = revealControls(href) === href ? href : url.href;
  return { address, host: url.protocol === 'mailto:' ? url.pathname : url.host };
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
