import { readFileSync } from 'node:fs';
import { databaseRoles, type DatabaseRole } from './migrate.ts';

/** Environment of the migration command: DATABASE_URL of the owner, DB_PASSWORD_<ROLE>[_FILE] per role. */
export const migrationEnv = (): { url: string; passwords: Partial<Record<DatabaseRole, string>> } => {
  const read = (name: string): string | undefined => {
    const file = process.env[`${name}_FILE`];
    return file ? readFileSync(file, 'utf8').trim() : process.env[name];
  };
  const url = read('DATABASE_URL');
  if (!url) throw new Error('DATABASE_URL is not set');
  const entries = databaseRoles.map((role) => [role, read(`DB_PASSWORD_${role.toUpperCase()}`)] as const);
  return { url, passwords: Object.fromEntries(entries.filter(([, v]) => v !== undefined)) };
};
