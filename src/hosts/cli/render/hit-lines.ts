/** One hit of a search as two lines. Pure. */
import type { SearchHit } from '#contract/view.ts';
import type { Style } from '../terminal/style.ts';
import { truncate } from '../terminal/truncate.ts';
import { visible } from '../terminal/visible.ts';
import { localTime, oneLine } from './format.ts';

/** Where it is, and the words around it. */
export function hitLines(hit: SearchHit, width: number, style: Style): string[] {
  const { conversationId, title, at, kind, agent } = hit;
  const head = [localTime(at), kind, visible(agent), oneLine(visible(title)) || '(no title)'].join(' · ');
  return [
    style('bold', truncate(`${conversationId}  ${head}`, width)),
    truncate(`  ${oneLine(visible(hit.snippet))}`, width),
  ];
}
