import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

export type Migration = { version: number; name: string; sql: string; checksum: string };

const directory = new URL('../migrations/', import.meta.url);

/**
 * The migrations in order. Names are `v<NNN>_<name>.sql`. Versions up to v393 match the specification's list
 * except v361 (order of titles), v379 (auth_config) and v380 (spent OIDC states), which were added and applied earlier.
 * A new migration takes a number from v394 on, above all applied ones.
 */
export function readMigrations(): Migration[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const match = /^v(\d{3})_([a-z0-9_]+)\.sql$/.exec(file);
      if (!match) throw new Error(`not a migration name: ${file}`);
      const sql = readFileSync(new URL(file, directory), 'utf8');
      return {
        version: Number(match[1]),
        name: match[2] as string,
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
      };
    });
}

let head: number | undefined;
/** The newest version that this code contains; read once per process. */
export function migrationHead(): number {
  head ??= readMigrations().at(-1)?.version ?? 0;
  return head;
}
