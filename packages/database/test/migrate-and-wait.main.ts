import { migrate, readMigrations } from '../src/index.ts';
import { parseMigration } from '../src/migrations.ts';

// A migrating process for tests that kill it: in each database, the chain ends with a text of its own.
const databases = JSON.parse(process.argv[2]!) as { url: string; file: string; sql: string }[];
await Promise.all(
  databases.map(async ({ url, file, sql }) => {
    const last = parseMigration(file, sql);
    const chain = readMigrations().filter(({ version }) => version < last.version);
    await migrate({ url, passwords: {}, migrations: [...chain, last] });
  }),
);
