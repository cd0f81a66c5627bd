/** Ranks sections of notes, and reports, by the words of a query (BM25): what the thread of a search does with them. */
import MiniSearch from 'minisearch';
import { sha256 } from '../../base/hash.ts';
import { cutAtCodePoint } from '../../base/text.ts';
import { sectionsOf, titleOfNote } from './note-sections.ts';

/** A report of an earlier sub-agent in the same folder. */
export interface PastReport {
  runId: string;
  conversationId: string;
  agent: string;
  title: string;
  endedAt: string;
  text: string;
}

export interface Note {
  path: string;
  text: string;
}

export interface Sources {
  notes: readonly Note[];
  reports: readonly PastReport[];
}

/** A section of a note, or a report, for who ranks it by what it means too. */
export interface Passage {
  /** The conversation of a report; empty for a note. */
  owner: string;
  /** Of the note; empty for a report. */
  path: string;
  /** What is embedded of it, and the hash of that. */
  text: string;
  hash: string;
  /** As a result that no word has found. */
  line: string;
}

/** All that was looked into, and what the words have found of it, best first: each with its index in `passages`. */
export interface Ranked {
  passages: Passage[];
  hits: { passage: number; line: string }[];
}

interface Piece {
  id: number;
  owner: string;
  path: string;
  /** Where it stands, for the agent. */
  place: string;
  title: string;
  heading: string;
  text: string;
}

const EXCERPT_CHARS = 400;
/** What is embedded of a passage at most, in UTF-16 code units: services refuse longer texts. */
const EMBEDDED_CHARS = 4000;

/** Best first, each with where it stands and the words around what was found. */
export function rankSections(query: string, limit: number, sources: Sources): string[] {
  const pieces = allOf(sources);
  return foundIn(pieces, query, limit).map(({ piece, terms }) => lineOf(piece, terms));
}

/** The same, with everything that was not found. */
export function rankPassages(query: string, limit: number, sources: Sources): Ranked {
  const pieces = allOf(sources);
  const hits = foundIn(pieces, query, limit).map(({ piece, terms }) => ({
    passage: piece.id,
    line: lineOf(piece, terms),
  }));
  return { passages: pieces.map(passageOf), hits };
}

function allOf({ notes, reports }: Sources): Piece[] {
  return [...notes.flatMap(piecesOf), ...reports.map(pieceOfReport)].map((piece, id) => ({ ...piece, id }));
}

function foundIn(pieces: readonly Piece[], query: string, limit: number): { piece: Piece; terms: string[] }[] {
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
    .map(({ id, terms }) => ({ piece: pieces[Number(id)]!, terms }));
}

function passageOf(piece: Piece): Passage {
  const { owner, path, title, heading, text: body } = piece;
  const text = cutAtCodePoint([title, heading, body].join('\n').toWellFormed(), EMBEDDED_CHARS);
  return { owner, path, text, hash: sha256(text), line: lineOf(piece, []) };
}

function piecesOf({ path, text }: Note): Omit<Piece, 'id'>[] {
  const title = titleOfNote(path, text);
  return sectionsOf(text).map(({ heading, line, text: body }) => {
    // The heading is a field of its own.
    const own = heading === '' ? body : body.slice(body.indexOf('\n') + 1 || body.length);
    return { owner: '', path, place: `${path}:${line}`, title, heading, text: own };
  });
}

function pieceOfReport({ runId, conversationId, agent, title, endedAt, text }: PastReport): Omit<Piece, 'id'> {
  const place = `report of ${agent}, ${endedAt.slice(0, 10)} (run ${runId})`;
  return { owner: conversationId, path: '', place, title, heading: '', text };
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
