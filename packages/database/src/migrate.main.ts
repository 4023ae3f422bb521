import { checkConnections } from './connections.ts';
import { migrationEnv } from './env.ts';
import { migrate } from './migrate.ts';
import { migrationHead } from './migrations.ts';
import { SchemaError } from './schema.ts';

// Runs before the services start: in the supervisor, in an init container, and in tests on their template database.
try {
  const env = migrationEnv();
  if (env.poolLimits) await checkConnections(env.url, env.poolLimits);
  const { from, to, applied } = await migrate({
    ...env,
    report: (line) => process.stdout.write(`${line}\n`),
  });
  const head = migrationHead();
  const newer = to > head ? `, newer than this program (v${head}), which can read it` : '';
  process.stdout.write(applied.length === 0 ? `schema is at v${to}${newer}\n` : `schema v${from} -> v${to}\n`);
} catch (error) {
  // The name of an expected error is its code.
  const message = error instanceof SchemaError ? String(error) : error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  process.stderr.write(`${message}${cause}\n`);
  process.exitCode = 1;
}
