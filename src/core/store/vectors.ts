/**
 * Vectors of texts: a cache that can be made again from what is embedded, in tables that no numbered schema file makes,
 * because the number of dimensions is in their index. One table for each embedder and folder: a search looks through no
 * other folder's. A row is `[owner, hash]`: of a report its conversation, of a note nothing, and the hash of its text.
 */
import { sha256 } from '../base/hash.ts';
import type { Database } from './database.ts';
import type { Embedded, Space, Vectors, VectorTable } from './store.ts';

export const vectorKey = ({ owner, hash }: Pick<Embedded, 'owner' | 'hash'>): string => `${owner}\n${hash}`;

const TABLE = /^vector_(\d+)_[0-9a-f]{16}_[0-9a-f]{16}$/;
/** How many neighbours the index looks at for each that is wanted. */
const EFFORT = 3;

type Known = Map<string, Embedded>;

export function vectorsOn(database: Database): Vectors {
  const open = new Map<string, Promise<VectorTable>>();
  const known = new Map<string, Known>();
  const forgetOf = async (name: string, owner: string): Promise<void> => {
    await database.transaction(`DELETE ${name}:[$owner, NONE]..[$owner, ..] RETURN NONE;`, { owner });
    const own = known.get(name);
    for (const [key, row] of own ?? []) if (row.owner === owner) own?.delete(key);
  };
  return {
    table: (space) => {
      const name = nameOf(space);
      const table = open.get(name) ?? makeTable(database, name, space, known);
      open.set(name, table);
      // One that could not be made is tried again.
      table.catch(() => open.delete(name));
      return table;
    },
    forget: async (conversationId) => {
      for (const name of await tablesOf(database)) await forgetOf(name, conversationId);
    },
  };
}

function nameOf({ embedder, dimensions, folder }: Space): string {
  return `vector_${dimensions}_${sha256(embedder).slice(0, 16)}_${sha256(folder).slice(0, 16)}`;
}

async function tablesOf(database: Database): Promise<string[]> {
  const [{ tables }] = (await database.query('INFO FOR DB')) as [{ tables: Record<string, string> }];
  return Object.keys(tables).filter((name) => TABLE.test(name));
}

async function makeTable(
  database: Database,
  name: string,
  { dimensions }: Space,
  all: Map<string, Known>,
): Promise<VectorTable> {
  const like = name.replace(TABLE.exec(name)?.[1] ?? '', '');
  const tables = await tablesOf(database);
  const old = tables.filter((one) => one !== name && one.replace(TABLE.exec(one)?.[1] ?? '', '') === like);
  if (!tables.includes(name)) {
    await database.transaction(`${old.map((one) => `REMOVE TABLE ${one};`).join('\n')}
      DEFINE TABLE ${name} SCHEMAFULL;
      DEFINE FIELD path ON ${name} TYPE string;
      DEFINE FIELD vector ON ${name} TYPE array<float>;
      DEFINE INDEX nearest ON ${name} FIELDS vector HNSW DIMENSION ${dimensions} DIST COSINE TYPE F32 EFC 150 M 12;`);
  }
  const known = await knownIn(database, name);
  all.set(name, known);
  const [replaced] = old;
  return {
    replaced: replaced === undefined ? null : Number(TABLE.exec(replaced)?.[1]),
    known,
    put: async (rows) => {
      const listed = await listedIn(database, [...new Set(rows.map(({ owner }) => owner))].filter(Boolean));
      const kept = rows.filter(({ owner }) => owner === '' || listed.has(owner));
      const values = kept.map(({ owner, hash, path, vector }) => ({ id: [owner, hash], path, vector: [...vector] }));
      if (values.length > 0) await database.transaction(`INSERT IGNORE INTO ${name} $values RETURN NONE;`, { values });
      for (const { vector: _, ...row } of kept) known.set(vectorKey(row), row);
    },
    delete: async (rows) => {
      const records = rows.map(({ owner, hash }) => database.record(name, [owner, hash]));
      if (records.length > 0) await database.transaction('DELETE $records RETURN NONE;', { records });
      for (const row of rows) known.delete(vectorKey(row));
    },
    nearest: async (owners, vector, count) => {
      const sql = `SELECT record::id(id) AS key, vector::distance::knn() AS distance FROM ${name}
        WHERE record::id(id)[0] IN $owners AND vector <|${count},${count * EFFORT}|> $vector ORDER BY distance`;
      const [found] = await database.query(sql, { owners, vector: [...vector] });
      return (found as { key: [string, string]; distance: number }[])
        .filter(({ distance }) => distance < 1)
        .map(({ key: [owner, hash] }) => vectorKey({ owner, hash }));
    },
  };
}

async function knownIn(database: Database, name: string): Promise<Known> {
  const [rows] = await database.query(`SELECT VALUE [record::id(id), path] FROM ${name}`);
  const known: Known = new Map();
  for (const [[owner, hash], path] of rows as [[string, string], string][])
    known.set(vectorKey({ owner, hash }), { owner, hash, path });
  return known;
}

async function listedIn(database: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const records = ids.map((id) => database.record('conversation', id));
  const sql = 'SELECT VALUE record::id(id) FROM $records WHERE listed = true';
  const [found] = ids.length === 0 ? [[]] : await database.query(sql, { records });
  return new Set(found as string[]);
}
