import { describe, expect, it } from '@jest/globals';
import { createLog, createMetrics, isAppError } from '@overtone/service-kit';
import { createDatabase } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import type { Pool } from 'pg';
import { createPool } from './pool.ts';
import { queryPrepared } from './prepared.ts';

const log = createLog('identity', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });

function poolOf(url: string): Pool {
  return createPool({
    env: { DATABASE_URL: url, DB_POOL_SIZE: 1, DB_MAX_OVERFLOW: 1 },
    name: 'identity',
    metrics: createMetrics(),
    log,
  });
}

function outcome(pool: Pool, text: string): Promise<unknown> {
  return queryPrepared(pool, { name: text, text, values: [] }).catch((error: unknown) =>
    isAppError(error) ? error.code : (error as { code: unknown }).code,
  );
}

const database = await createDatabase();
cleanUpAfterFile(database.drop);
const pool = poolOf(database.urlFor('identity'));
cleanUpAfterFile(() => pool.end());

describe('a prepared statement', () => {
  it('returns its rows, also when it is repeated', async () => {
    for (let i = 0; i < 2; i++) expect(await outcome(pool, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('throws the error of the server', async () => {
    expect(await outcome(pool, 'select from nothing_there')).toBe('42P01');
  });

  it('is unavailable without a server', async () => {
    const nowhere = poolOf('postgres://identity@127.0.0.1:1/overtone');
    expect(await outcome(nowhere, 'select 1')).toBe('database_unavailable');
    await nowhere.end();
  });
});
