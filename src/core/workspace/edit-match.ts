/** Edits of a text: each replaces a piece that is found exactly, else but for white space, else by its likeness. Pure. */
import { TriadError } from '../base/errors.ts';
import { type Block, blockOf, spliced } from './edit-block.ts';
import { type Found, mostAlike } from './edit-likeness.ts';
import { linesOf, type Lines, MAX_COUNTED, startsOf, Work } from './edit-lines.ts';

export interface Edit {
  oldText: string;
  newText: string;
  /** All places, which must be exact matches; else there must be one. */
  replaceAll?: boolean | undefined;
}

type MatchKind = 'exact' | 'whitespace' | 'fuzzy';

export interface Edited {
  text: string;
  /** Of each edit how it was found, and the line where its (first) place began, counted from 1. */
  matches: { kind: MatchKind; line: number }[];
}

/** Of a result, in UTF-16 code units. */
const MAX_RESULT = 8 * 1024 * 1024;
const BOM = '\uFEFF';
/** Places that an error names. */
const SHOWN_PLACES = 8;

/**
 * Applies the edits in order, each to the text as the ones before left it. What they do not touch stays as it is, byte
 * for byte. Throws `bad_input` where one does not fit, and says what to do then; nothing is applied then.
 */
export function applyEdits(text: string, edits: readonly Edit[], work = new Work()): Edited {
  const bom = text.startsWith(BOM) ? BOM : '';
  let now = text.slice(bom.length);
  const matches: Edited['matches'] = [];
  for (const [index, edit] of edits.entries()) {
    try {
      const { text: next, ...match } = applied(now, withoutBom(edit, bom), work);
      now = next;
      matches.push(match);
    } catch (error) {
      if (!(error instanceof TriadError) || edits.length === 1) throw error;
      throw new TriadError(error.code, `Edit ${index + 1} of ${edits.length}, so none was made: ${error.message}`);
    }
  }
  if (bom + now === text) throw wrong('The edits together change nothing');
  return { text: bom + now, matches };
}

type Applied = { text: string } & Edited['matches'][number];

/** A mark at the beginning of the file is no part of what is edited, also where it was quoted with the text. */
function withoutBom(edit: Edit, bom: string): Edit {
  if (bom === '' || !edit.oldText.startsWith(bom)) return edit;
  const { oldText, newText } = edit;
  return { ...edit, oldText: oldText.slice(1), newText: newText.startsWith(bom) ? newText.slice(1) : newText };
}

function applied(text: string, edit: Edit, work: Work): Applied {
  const { oldText, newText, replaceAll } = edit;
  if (oldText === '')
    throw wrong('old_text is empty: give the text that is to be replaced (write_file makes files and replaces all)');
  if (oldText === newText) throw wrong('old_text and new_text are the same: nothing would change');
  // Half a character could be found within a whole one, and break it.
  if (!oldText.isWellFormed() || !newText.isWellFormed())
    throw wrong('old_text and new_text must be whole characters (a surrogate stands alone)');
  const places = startsOf(text, oldText);
  if (places.count === 1 || (replaceAll && places.count > 1)) return exactly(text, edit);
  if (places.count > 1) {
    const first = places.first.map((start) => lineAt(text, start));
    throw ambiguous(places.count, first, 'or set replace_all to replace them all');
  }
  return tolerantly(text, edit, work);
}

function exactly(text: string, { oldText, newText, replaceAll }: Edit): Applied {
  // One that has line breaks was quoted with those of the file; what is added to a single line takes the file's.
  const fresh = oldText.includes('\n') || !hasOnlyCrlf(text) ? newText : newText.replace(/\r?\n/g, '\r\n');
  const start = text.indexOf(oldText);
  const line = lineAt(text, start);
  const around = replaceAll ? text.split(oldText) : [text.slice(0, start), text.slice(start + oldText.length)];
  // A line break goes as a whole, also where only its second half was quoted.
  const isCut = oldText.startsWith('\n') && !fresh.startsWith('\n');
  const parts = isCut ? around.map((part, at) => (at < around.length - 1 ? part.replace(/\r$/, '') : part)) : around;
  if (text.length + (parts.length - 1) * (fresh.length - oldText.length) > MAX_RESULT)
    throw wrong(`The file would become larger than ${MAX_RESULT} characters`);
  return { text: parts.join(fresh), kind: 'exact', line };
}

function hasOnlyCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
}

/** Line by line; where that would be too much work, not at all. */
function tolerantly(text: string, { oldText, newText, replaceAll }: Edit, work: Work): Applied {
  if (replaceAll)
    throw wrong('old_text is not in the file exactly as it is given, which replace_all needs: read the file');
  const block = blockOf(oldText);
  const lines = work.allows(text.length + oldText.length) ? linesOf(text) : null;
  if (lines === null)
    throw wrong(
      'old_text was not found exactly, and there is too much text to look for anything like it: read the file and copy the text from it',
    );
  const found = block.lines.some((line) => line !== '')
    ? (byLine(lines, block) ?? mostAlike(lines, block.lines, work))
    : NOTHING;
  if (found.at === null) throw notFound(text, lines, found);
  const { kind, at } = found;
  const [start, end, fresh] = spliced(text, { lines, at, block }, newText);
  const next = text.slice(0, start) + fresh + text.slice(end);
  if (next === text)
    throw wrong('old_text differs from the file in white space only, and so does new_text: nothing would change');
  return { text: next, kind, line: at + 1 };
}

const NOTHING: Found = { kind: 'fuzzy', at: null, nearest: null };

/** The one place whose lines are the same but for white space at both ends; null where there is none. */
function byLine(lines: Lines, block: Block): Found | null {
  const places = startsOf(lines.joined, `\n${block.lines.join('\n')}\n`);
  if (places.count === 0) return null;
  const at = places.first.map((start) => lineAt(lines.joined, start) - 1);
  if (places.count === 1) return { kind: 'whitespace', at: at[0]!, nearest: null };
  throw ambiguous(
    places.count,
    at.map((line) => line + 1),
    'exactly as they stand there',
  );
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

function ambiguous(count: number, at: readonly number[], more: string): TriadError {
  const shown = at.slice(0, SHOWN_PLACES).join(', ');
  const which = `at the lines ${shown}${count > SHOWN_PLACES ? ', …' : ''}`;
  return wrong(
    `old_text fits ${count === MAX_COUNTED ? `${count} places or more` : `${count} places`}, ${which}: give more of the lines around the one that is meant, ${more}`,
  );
}

/** Longest line, and most lines, that an error shows. */
const SHOWN_CHARS = 160;
const SHOWN_LINES = 6;

function notFound(text: string, { starts, ends }: Lines, { nearest, rivals }: Found): TriadError {
  if (rivals)
    return wrong(
      `old_text is not in the file, and the lines from ${rivals.map((at) => at + 1).join(' and from ')} are about equally like it: copy the text from the file`,
    );
  if (nearest === null) return wrong('old_text is not in the file, nor anything like it: read the file');
  const shown = Array.from({ length: Math.min(SHOWN_LINES, nearest.count) }, (_, index) => {
    const at = nearest.at + index;
    const line = text.slice(starts[at], ends[at]);
    return `${at + 1}: ${line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS).toWellFormed()}…` : line}`;
  });
  return wrong(`old_text is not in the file. The closest lines are:\n${shown.join('\n')}\nCopy the text from the file`);
}

function wrong(message: string): TriadError {
  return new TriadError('bad_input', message);
}
