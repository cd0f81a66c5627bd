/** Markdown in blocks: while a text grows, settled blocks are kept and only the last one is parsed again. */
import { Lexer, type Token, type TokensList } from 'marked';

export interface MarkdownBlock {
  token: Token;
  /** Further text cannot change it. */
  settled: boolean;
}

/** Parses one growing text incrementally; a text that does not continue it is parsed from its start. */
export class BlockReader {
  #text = '';
  #settledLength = 0;
  #settled: MarkdownBlock[] = [];
  #links: TokensList['links'] = {};

  /**
   * `open`: the text still grows. A complete text is parsed as a whole, since a link reference may be defined below its
   * use.
   */
  read(source: string, open: boolean): MarkdownBlock[] {
    const text = source.replace(/\r\n?/g, '\n');
    if (!open || !text.startsWith(this.#text)) this.#forget();
    this.#text = text;
    const tail = this.#lex(text.slice(this.#settledLength));
    if (!open) return shown(tail.map((token) => ({ token, settled: true })));
    const last = tail.findLastIndex(({ type }) => type !== 'space');
    const done = tail.slice(0, Math.max(last, 0));
    for (const token of done) {
      this.#settledLength += token.raw.length;
      this.#settled.push({ token, settled: true });
    }
    return shown([...this.#settled, ...tail.slice(done.length).map((token) => ({ token, settled: false }))]);
  }

  #lex(text: string): Token[] {
    const lexer = new Lexer({ gfm: true });
    Object.assign(lexer.tokens.links, this.#links);
    const tokens = lexer.lex(text);
    this.#links = tokens.links;
    return tokens;
  }

  #forget(): void {
    this.#text = '';
    this.#settledLength = 0;
    this.#settled = [];
    this.#links = {};
  }
}

function shown(blocks: MarkdownBlock[]): MarkdownBlock[] {
  return blocks.filter(({ token }) => token.type !== 'space' && token.type !== 'def');
}
