/** Ranks sections of notes, and reports, by the words of a query (BM25): what the thread of a search does with them. */
import MiniSearch from 'minisearch';
import { cutAtCodePoint } from '../base/text.ts';
import { sectionsOf, titleOfNote } from './note-sections.ts';

/** A report of an earlier sub-agent in the same folder. */
export interface PastReport {
  runId: string;
  agent: string;
  title: string;
  endedAt: string;
  text: string;
}

export interface Note {
  path: string;
  text: string;
}

interface Piece {
  id: number;
  /** Where it stands, for the agent. */
  place: string;
  title: string;
  heading: string;
  text: string;
}

const EXCERPT_CHARS = 400;

/** Best first, each with where it stands and the words around what was found. */
export function rankSections(
  query: string,
  limit: number,
  { notes, reports }: { notes: readonly Note[]; reports: readonly PastReport[] },
): string[] {
  const pieces = [...notes.flatMap(piecesOf), ...reports.map(pieceOfReport)].map((piece, id): Piece => ({
    ...piece,
    id,
  }));
  const index = new MiniSearch<Piece>({
    fields: ['title', 'heading', 'text'],
    searchOptions: {
      boost: { title: 2, heading: 2 },
      // Longer words also match other endings and typing errors; short ones must match exactly.
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.15 : false),
    },
  });
  index.addAll(pieces);
  return index
    .search(query)
    .slice(0, limit)
    .map(({ id, terms }) => lineOf(pieces[Number(id)]!, terms));
}

function piecesOf({ path, text }: Note): Omit<Piece, 'id'>[] {
  const title = titleOfNote(path, text);
  return sectionsOf(text).map(({ heading, line, text: body }) => {
    // The heading is a field of its own.
    const own = heading === '' ? body : body.slice(body.indexOf('\n') + 1 || body.length);
    return { place: `${path}:${line}`, title, heading, text: own };
  });
}

function pieceOfReport({ runId, agent, title, endedAt, text }: PastReport): Omit<Piece, 'id'> {
  const place = `report of ${agent}, ${endedAt.slice(0, 10)} (run ${runId})`;
  return { place, title, heading: '', text };
}

function lineOf({ place, title, heading, text }: Piece, terms: readonly string[]): string {
  const name = heading === '' || heading === title ? title : `${title} › ${heading}`;
  return `${place} — ${name}\n${excerpt(text, terms)}`;
}

/** The words around the first of what was found, on one line. */
function excerpt(text: string, terms: readonly string[]): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const low = line.toLowerCase();
  const places = terms.map((term) => low.indexOf(term)).filter((place) => place >= 0);
  const from = Math.max(0, Math.min(...places, line.length) - EXCERPT_CHARS / 4);
  const start = line.length <= EXCERPT_CHARS || places.length === 0 ? 0 : from;
  const part = cutAtCodePoint(line.slice(start).toWellFormed(), EXCERPT_CHARS);
  return `  ${start > 0 ? '…' : ''}${part}${start + part.length < line.length ? '…' : ''}`;
}
