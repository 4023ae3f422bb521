import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Schema } from './schema.ts';

/** What a migration adds and older schemas lack: a table or index, a column, or the collation of a column. */
export type SchemaProof = { relation: string; column?: string | undefined; collation?: string | undefined };

export type Migration = {
  version: number;
  name: string;
  sql: string;
  checksum: string;
  /** The oldest version whose code works on a database that has this migration. */
  readableBy: number;
  /** Together they identify a database that has this migration. Empty: it changes data only. */
  proofs: SchemaProof[];
};

const directory = new URL('../migrations/', import.meta.url);
const fileName = /^v(\d{3})_([a-z0-9_]+)\.sql$/;
const header = /^-- readable-by: v(\d{3})\b.*\n-- proof: (.+)\n/;
const proof = /^(\w+)(?:\.(\w+)(?: collate ([\w-]+))?)?$/;

/**
 * The migrations in order; `migrations/README.md` describes names and headers. Versions up to v393 match the
 * specification's list except v361 (order of titles), v379 (auth_config) and v380 (spent OIDC states), which were added
 * and applied earlier.
 * @throws Error when a migration does not declare which code can read its result.
 */
export function readMigrations(): Migration[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => parseMigration(file, readFileSync(new URL(file, directory), 'utf8')));
}

/** The checksum does not cover the header: releases up to v0.5.0 had none, and a declaration may be corrected later. */
export function parseMigration(file: string, sql: string): Migration {
  const name = fileName.exec(file);
  if (!name) throw new Error(`not a migration name: ${file}`);
  const declared = header.exec(sql);
  if (!declared) throw new Error(`${file} does not begin with "-- readable-by: v<NNN>" and "-- proof: <what it adds>"`);
  const [version, readableBy] = [Number(name[1]), Number(declared[1])];
  if (readableBy > version) throw new Error(`${file} is readable by a later version only: v${readableBy}`);
  return {
    version,
    name: name[2]!,
    sql,
    checksum: createHash('sha256').update(sql.slice(declared[0].length)).digest('hex'),
    readableBy,
    proofs: declared[2] === 'none' ? [] : declared[2]!.split(', ').map((text) => parseProof(file, text)),
  };
}

function parseProof(file: string, text: string): SchemaProof {
  const [match, relation = '', column, collation] = proof.exec(text) ?? [];
  if (match === undefined) throw new Error(`${file}: not a table, index or column: ${text}`);
  return { relation, column, collation };
}

let head: Schema | undefined;
/** The schema that this code migrates to; read once per process. */
export function headSchema(): Schema {
  head ??= schemaAfter(readMigrations());
  return head;
}

/** The newest version that this code contains. */
export function migrationHead(): number {
  return headSchema().version;
}

/** The schema of a database that has exactly these migrations. */
export function schemaAfter(migrations: readonly Pick<Migration, 'version' | 'readableBy'>[]): Schema {
  return {
    version: Math.max(0, ...migrations.map(({ version }) => version)),
    readableFrom: Math.max(0, ...migrations.map(({ readableBy }) => readableBy)),
  };
}
