import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

export type Migration = { version: number; name: string; sql: string; checksum: string };

const directory = new URL('../migrations/', import.meta.url);

/** The linear chain, in order. Names are `v<NNN>_<name>.sql`, numbered as in the specification's chain. */
export const readMigrations = (): Migration[] =>
  readdirSync(directory)
    .filter((f) => f.endsWith('.sql'))
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

let head: number | undefined;
/** The newest version this code knows; read once per process. */
export const migrationHead = (): number => {
  head ??= readMigrations().at(-1)?.version ?? 0;
  return head;
};
