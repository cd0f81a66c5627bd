/** Markdown as the text that a reader sees, for who wants it without its marks. */
import { lexer, type Token, type Tokens } from 'marked';

export function plainOf(markdown: string): string {
  return blocks(lexer(markdown, { gfm: true }));
}

function blocks(tokens: readonly Token[]): string {
  return tokens
    .map(block)
    .filter((text) => text !== '')
    .join('\n\n')
    .trim();
}

function block(token: Token): string {
  switch (token.type) {
    case 'space':
    case 'hr':
    case 'def':
      return '';
    case 'code':
    case 'html':
      return (token as Tokens.Code | Tokens.HTML).text.trimEnd();
    case 'blockquote':
      return blocks((token as Tokens.Blockquote).tokens);
    case 'list':
      return listOf(token as Tokens.List);
    case 'table':
      return tableOf(token as Tokens.Table);
    default:
      return inline(token);
  }
}

function listOf({ items, ordered, start }: Tokens.List): string {
  const mark = (item: Tokens.ListItem, at: number): string => {
    if (item.task) return item.checked ? '☑ ' : '☐ ';
    return ordered ? `${Number(start === '' ? 1 : start) + at}. ` : '• ';
  };
  return items
    .map((item, at) => {
      const own = item.tokens.filter(({ type }) => type !== 'checkbox');
      return `${mark(item, at)}${own.map(block).filter(Boolean).join('\n')}`.replaceAll('\n', '\n  ');
    })
    .join('\n');
}

/** Cells stand apart by tabs, as spreadsheets take them. */
function tableOf({ header, rows }: Tokens.Table): string {
  return [header, ...rows].map((row) => row.map(({ tokens }) => tokens.map(inline).join('')).join('\t')).join('\n');
}

function inline(token: Token): string {
  if (token.type === 'br') return '\n';
  if (token.type === 'image') return (token as Tokens.Image).text || (token as Tokens.Image).href;
  const { tokens } = token as { tokens?: Token[] };
  if (tokens) return tokens.map(inline).join('');
  return unescaped('text' in token ? String(token.text) : token.raw);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

function unescaped(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
