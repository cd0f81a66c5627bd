/** A note in Markdown as its title and its sections, each with the line where it begins. Pure. */

export interface Section {
  /** Empty for what stands before the first heading. */
  heading: string;
  /** 1 to 6; 0 for what stands before the first heading. */
  level: number;
  /** From 1, in the file. */
  line: number;
  /** With its heading, without the sections after it. */
  text: string;
}

const MARKS = /^ {0,3}(#{1,6})[ \t]/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Headings inside of code and of front matter are none. */
export function sectionsOf(text: string): Section[] {
  const lines = text.split(/\r?\n/);
  const sections: Section[] = [];
  let current: { heading: string; level: number; line: number; lines: string[] } | null = null;
  let fence: string | null = null;
  const first = frontMatterEnd(lines);
  const close = (): void => {
    const body = current?.lines.join('\n').trim();
    if (current && body) sections.push({ ...current, text: body });
  };
  for (let index = first; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const mark = FENCE.exec(line)?.[1] ?? null;
    const heading = fence === null ? headingIn(line) : null;
    if (fence === null) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = null;
    if (heading) {
      close();
      current = { ...heading, line: index + 1, lines: [line] };
    } else {
      current ??= { heading: '', level: 0, line: index + 1, lines: [] };
      current.lines.push(line);
    }
  }
  close();
  return sections.map(({ heading, level, line, text: body }) => ({ heading, level, line, text: body }));
}

/** Takes time in proportion to the line, whatever stands in it: it may come from anybody. */
function headingIn(line: string): Pick<Section, 'heading' | 'level'> | null {
  const marks = MARKS.exec(line);
  if (!marks) return null;
  const words = line.slice(marks[0].length).trim();
  let end = words.length;
  while (words[end - 1] === '#') end--;
  return { heading: words.slice(0, end).trimEnd(), level: marks[1]?.length ?? 1 };
}

/** The title that its front matter says, or its first heading, or the name of its file. */
export function titleOfNote(path: string, text: string): string {
  const lines = text.split(/\r?\n/);
  const front = lines.slice(1, Math.max(1, frontMatterEnd(lines) - 1));
  const said =
    front
      .find((line) => line.startsWith('title:'))
      ?.slice('title:'.length)
      .trim() ?? '';
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '');
  return unquoted(said) || (sectionsOf(text).find(({ heading }) => heading !== '')?.heading ?? name);
}

function unquoted(text: string): string {
  const [first] = text;
  const isQuoted = text.length > 1 && (first === '"' || first === "'") && text.endsWith(first);
  return isQuoted ? text.slice(1, -1) : text;
}

/** One section with all that stands below it; null where there is none of this heading. */
export function sectionNamed(text: string, heading: string): string | null {
  const sections = sectionsOf(text);
  const wanted = heading
    .replace(/^#+\s*/, '')
    .trim()
    .toLowerCase();
  const at = sections.findIndex((one) => one.heading.toLowerCase() === wanted);
  const found = sections[at];
  if (!found) return null;
  const rest = sections.slice(at + 1);
  const end = rest.findIndex(({ level }) => level <= found.level);
  return [found, ...(end < 0 ? rest : rest.slice(0, end))].map((one) => one.text).join('\n\n');
}

/** How many lines the front matter takes; 0 where there is none. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0;
  return lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---') + 1;
}
