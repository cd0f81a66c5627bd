/** What a search found: a place as two lines, a name as one. Pure. */
import stringWidth from 'string-width';
import type { SearchHit, TitleHit } from '#contract/view.ts';
import type { Style } from '../terminal/style.ts';
import { truncate } from '../terminal/truncate.ts';
import { oneLine, visible } from '../terminal/visible.ts';
import { localTime } from './format.ts';

/** Where it is, and the words around it. */
export function hitLines(hit: SearchHit, width: number, style: Style): string[] {
  const { conversationId, title, at, kind, agent } = hit;
  const head = [localTime(at), kind, visible(agent), oneLine(visible(title)) || '(no title)'].join(' · ');
  return [style('bold', truncate(`${conversationId}  ${head}`, width)), `  ${excerpt(hit, width - 2, style)}`];
}

/** What was found by its name. */
export function nameLines(
  { titles, agents }: { titles: readonly TitleHit[]; agents: readonly string[] },
  width: number,
  style: Style,
): string[] {
  return [
    ...titles.map(({ conversationId, title, at }) =>
      style('bold', truncate(`${conversationId}  ${localTime(at)} · title · ${oneLine(visible(title))}`, width)),
    ),
    ...(agents.length === 0 ? [] : [truncate(`agents: ${agents.map((name) => visible(name)).join(', ')}`, width)]),
  ];
}

/** As much of the snippet as fits, with the first hit in its middle, and that one marked. */
function excerpt({ snippet, hits }: Pick<SearchHit, 'snippet' | 'hits'>, width: number, style: Style): string {
  const [first] = hits;
  if (!first) return truncate(oneLine(visible(snippet)), width);
  const part = (from: number, to: number): string => visible(snippet.slice(from, to)).replace(/\s+/g, ' ');
  const found = truncate(part(first.start, first.end), width);
  const room = Math.max(0, width - stringWidth(found));
  const most = Math.max(Math.floor(room / 2), room - (snippet.length - first.end));
  const before = truncate(part(0, first.start).trimStart(), most, 'start');
  const after = truncate(part(first.end, snippet.length).trimEnd(), room - stringWidth(before));
  return before + style('yellow', found) + after;
}
