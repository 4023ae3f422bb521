import { migrationEnv } from './env.ts';
import { migrate } from './migrate.ts';

// Run before the services start: by the supervisor, by an init container, by tests on their template database.
try {
  const { from, to, applied } = await migrate({
    ...migrationEnv(),
    report: (line) => process.stdout.write(`${line}\n`),
  });
  process.stdout.write(applied.length === 0 ? `schema is at v${to}\n` : `schema v${from} -> v${to}\n`);
} catch (e) {
  const cause = e instanceof Error && e.cause instanceof Error ? `: ${e.cause.message}` : '';
  process.stderr.write(`${e instanceof Error ? e.message : String(e)}${cause}\n`);
  process.exitCode = 1;
}
