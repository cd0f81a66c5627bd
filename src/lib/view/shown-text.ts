/** Text in which nothing hides, as a reader sees it. Pure. */
import { type Piece, piecesOf } from '#contract/visible-text.ts';

/** As they stand as marks. */
const NO_BREAK: Readonly<Record<string, string>> = { '⟦U+00A0⟧': '\u00A0', '⟦U+202F⟧': '\u202F' };

/**
 * As `piecesOf`; but a no-break space where French sets one (before ; : ! ? » % $, after «, between thousands and
 * before their short names) is the usual space there, and hides nothing: people write French whatever their screens speak.
 */
export function shownPieces(text: string): Piece[] {
  const pieces = piecesOf(text);
  if (!/[\u00A0\u202F]/.test(text)) return pieces;
  const shown: Piece[] = [];
  for (const [index, piece] of pieces.entries()) {
    const [before, after] = [shown.at(-1), pieces[index + 1]];
    const space = piece.kind === 'hidden' ? NO_BREAK[piece.text] : undefined;
    const isUsual = space !== undefined && isSetInFrench(plainOf(before), plainOf(after));
    const next: Piece = isUsual ? { kind: 'plain', text: space, count: 0 } : piece;
    if (next.kind === 'plain' && before?.kind === 'plain')
      shown[shown.length - 1] = { ...before, text: before.text + next.text };
    else shown.push(next);
  }
  return shown;
}

/** As `visibleText`. */
export function shownText(text: string): string {
  return shownPieces(text)
    .map((piece) => piece.text)
    .join('');
}

const plainOf = (piece: Piece | undefined): string => (piece?.kind === 'plain' ? piece.text : '');

function isSetInFrench(before: string, after: string): boolean {
  if (/^[;:!?»%$€]/.test(after) || before.endsWith('«')) return true;
  return /\d$/.test(before) && /^(?:\d{3}(?!\d)|(?:k|M|Md)(?!\S))/.test(after);
}
