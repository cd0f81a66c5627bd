/** Reports beside each other: what has the same heading in one row, and what differs where they are alike. Pure. */

interface Block {
  /** Markdown. */
  text: string;
  /** Another report has this part in much the same words, but not this block. */
  differs: boolean;
  /** Of one that differs, what another report has in its place in much the same words; null for nothing that alike. Costs. */
  against: () => string | null;
}

/** One row: a part of each report, in the order of the reports; null where a report has no such part. */
export interface Row {
  key: string;
  /** As the first report that has it writes it; null before the first heading. */
  heading: string | null;
  cells: (Block[] | null)[];
}

interface Section {
  key: string;
  heading: string | null;
  blocks: string[];
}

/** Share of common words from which on two parts are alike. */
const ALIKE = 0.4;
/** Blocks of another report that are looked at for one, on both sides of its place: what is farther away is not its version. */
const NEAR = 4;

export function compared(reports: readonly string[]): Row[] {
  const all = reports.map(sectionsOf);
  return orderOf(all).map((key) => {
    const cells = all.map((sections) => sections.find((section) => section.key === key) ?? null);
    const heading = cells.find((cell) => cell !== null)?.heading ?? null;
    return { key, heading, cells: cells.map((cell, at) => cell && marked(cell, cells.toSpliced(at, 1))) };
  });
}

/** Whether all reports say the same, but for white space and case. */
export function areAlike(rows: readonly Row[]): boolean {
  const texts = (cell: Row['cells'][number]): string | null => cell && cell.map(({ text }) => plain(text)).join('\n');
  return rows.every(({ cells }) => cells.every((cell) => texts(cell) === texts(cells[0] ?? null)));
}

/** The keys of all, each after what stands before it in its report. */
function orderOf(all: readonly Section[][]): string[] {
  const order: string[] = [];
  for (const sections of all) {
    let place = 0;
    for (const { key } of sections) {
      const known = order.indexOf(key);
      if (known < 0) order.splice(place, 0, key);
      place = (known < 0 ? place : known) + 1;
    }
  }
  return order;
}

/** The parts of a report; what stands in a block of code is no heading. The first title stands for that of any report. */
function sectionsOf(report: string): Section[] {
  const sections: Section[] = [{ key: '', heading: null, blocks: [] }];
  const seen = new Map<string, number>();
  let fence: string | null = null;
  let block: string[] = [];
  const flush = (): void => {
    if (block.some((line) => line.trim() !== '')) sections.at(-1)!.blocks.push(block.join('\n'));
    block = [];
  };
  for (const line of report.split(/\r?\n/)) {
    const mark: string | null = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    const isInside = fence !== null;
    if (mark !== null && fence === null) fence = mark;
    else if (fence !== null && mark?.startsWith(fence)) fence = null;
    const heading = isInside || fence !== null ? null : /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$/.exec(line);
    if (heading) {
      flush();
      const [, level = '', title = ''] = heading;
      const name =
        level === '#' && !seen.has('#')
          ? '#'
          : title
              .toLowerCase()
              .replace(/[^\p{L}\p{N}]+/gu, ' ')
              .trim();
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      sections.push({ key: count === 1 ? name : `${name} ${count}`, heading: title, blocks: [line] });
    } else if (line.trim() === '' && !isInside) flush();
    else block.push(line);
    if (heading) flush();
  }
  flush();
  return sections.filter(({ blocks }) => blocks.length > 0);
}

function marked({ blocks, heading }: Section, others: readonly (Section | null)[]): Block[] {
  const there = others.filter((other) => other !== null);
  const own = wordsIn(bodyOf({ blocks, heading }));
  const isAlike = there.some((other) => likeness(own, wordsIn(bodyOf(other))) >= ALIKE);
  const known = there.map((other) => new Set(other.blocks.map(plain)));
  return blocks.map((text, at) => {
    const isHeading = heading !== null && at === 0;
    const differs = isAlike && !isHeading && !known.every((plains) => plains.has(plain(text)));
    return { text, differs, against: () => (differs ? nearest(text, at, there) : null) };
  });
}

/** The block of other reports that has most words in common with it. */
function nearest(text: string, at: number, others: readonly Section[]): string | null {
  const own = wordsIn(text);
  let [best, most]: [string | null, number] = [null, ALIKE];
  for (const { blocks } of others)
    for (const block of blocks.slice(Math.max(0, at - NEAR), at + NEAR + 1)) {
      const share = block === text ? 0 : likeness(own, wordsIn(block));
      if (share >= most) [best, most] = [block, share];
    }
  return best;
}

function bodyOf({ blocks, heading }: Pick<Section, 'blocks' | 'heading'>): string {
  return blocks.slice(heading === null ? 0 : 1).join(' ');
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Share of the words of both that both have, from 0 to 1. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const both = one.intersection(other).size;
  return both === 0 ? 0 : both / (one.size + other.size - both);
}

function wordsIn(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
