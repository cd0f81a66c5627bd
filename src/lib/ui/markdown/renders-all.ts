/** Whether a text may be shown formatted where nothing of it may be missed. Pure. */
import { piecesOf } from '#contract/visible-text.ts';
import { Lexer, type Token, type Tokens } from 'marked';

/**
 * False where formatting would hide or change words: characters that cannot be seen, entities, targets of links, pictures,
 * definitions, what stands behind the language of code, cells that a table drops.
 */
export function rendersAll(source: string): boolean {
  if (/&(?:#\w+|\w+);/.test(source) || piecesOf(source).some(({ kind }) => kind !== 'plain')) return false;
  const tokens = new Lexer({ gfm: true }).lex(source);
  return wordsIn(source) === wordsIn(tokens.map(shownOf).join(''));
}

const wordsIn = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** The words of a token as it is shown. */
function shownOf(token: Token): string {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'image':
    case 'hr':
    case 'br':
      return '';
    case 'code':
      return `${String(token['lang'] ?? '').split(/\s/, 1)[0]} ${String(token['text'])}`;
    case 'list':
      return itemsOf(token as Tokens.List);
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].flatMap((row) => row.map((cell) => cell.tokens.map(shownOf).join(''))).join(' ');
    }
    case 'checkbox':
      return token.raw;
    default: {
      const { tokens, text = '' } = token as { tokens?: Token[]; text?: string };
      return tokens ? tokens.map(shownOf).join('') : text;
    }
  }
}

/** Numbers count on from the first, whatever was written. */
function itemsOf({ items, ordered, start }: Tokens.List): string {
  return items
    .map(({ tokens }, index) => `${ordered ? Number(start) + index : ''} ${tokens.map(shownOf).join('')}`)
    .join(' ');
}
