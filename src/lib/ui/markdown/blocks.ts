/** Markdown in blocks: while a text grows, settled blocks are kept and only what comes after them is parsed again. */
import { Lexer, type Token, type Tokens, type TokensList } from 'marked';

export interface MarkdownBlock {
  token: Token;
  /** Further lines cannot change it, but for the addresses of its links. */
  settled: boolean;
}

/** Parses one growing text incrementally; a text that does not continue it is parsed from its start. */
export class BlockReader {
  #text = '';
  #settledLength = 0;
  #settled: MarkdownBlock[] = [];
  /** Of the settled definitions. */
  #links: TokensList['links'] = {};

  /** `open`: the text still grows. A complete text is parsed as a whole, whatever was read of it before. */
  read(source: string, open: boolean): MarkdownBlock[] {
    const text = source.replace(/\r\n?/g, '\n');
    if (!open || !text.startsWith(this.#text)) this.#forget();
    this.#text = text;
    const rest = text.slice(this.#settledLength);
    const tail = this.#lex(rest);
    if (!open) return shown(tail.map((token) => ({ token, settled: true })));
    const done = tail.slice(0, settledCount(tail, rest));
    this.#settle(done);
    return shown([...this.#settled, ...tail.slice(done.length).map((token) => ({ token, settled: false }))]);
  }

  #settle(tokens: readonly Token[]): void {
    for (const token of tokens) {
      this.#settledLength += token.raw.length;
      this.#settled.push({ token, settled: true });
    }
    const definitions = tokens.filter((token): token is Tokens.Def => token.type === 'def');
    if (definitions.length > 0) this.#define(definitions);
  }

  /** Reads the links of all settled blocks once more: definitions stand below their uses. */
  #define(definitions: readonly Tokens.Def[]): void {
    for (const { tag, href, title } of definitions) this.#links[tag] ??= { href, title };
    this.#settled = this.#settled.map((block) => {
      const { type, raw } = block.token;
      if (type === 'def' || type === 'code' || type === 'html' || !raw.includes('[')) return block;
      const [token, ...others] = this.#lex(raw);
      return token?.type === type && others.length === 0 ? { token, settled: true } : block;
    });
  }

  #lex(text: string): Token[] {
    const lexer = new Lexer({ gfm: true });
    Object.assign(lexer.tokens.links, this.#links);
    return lexer.lex(text);
  }

  #forget(): void {
    this.#text = '';
    this.#settledLength = 0;
    this.#settled = [];
    this.#links = {};
  }
}

/**
 * How many of the first tokens of a text stay as they are, whatever follows. What a block is shows in its first line where
 * a blank one stands before it, as for the next item of a list, and else in its second, as for a table.
 */
function settledCount(tokens: readonly Token[], text: string): number {
  const last = text.lastIndexOf('\n');
  const second = text.lastIndexOf('\n', last - 1);
  let offset = 0;
  let count = 0;
  for (const [at, { raw }] of tokens.entries()) {
    // Of a line that has only begun, the parser may tell more than is there.
    if (!text.startsWith(raw, offset)) break;
    offset += raw.length;
    const next = tokens[at + 1];
    const shows = offset <= (/\n[ \t]*\n[ \t]*$/.test(raw) ? last : second);
    if (next && next.type !== 'space' && shows) count = at + 1;
  }
  return count;
}

function shown(blocks: MarkdownBlock[]): MarkdownBlock[] {
  return blocks.filter(({ token }) => token.type !== 'space' && token.type !== 'def');
}
