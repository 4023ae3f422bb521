import { describe, expect, it } from '@jest/globals';
import { isLostDatabase } from './lost-database.ts';
import { toProblem } from './problem.ts';

function errorOf(message: string, fields: object = {}): Error {
  return Object.assign(new Error(message), fields);
}

describe('a database that cannot be asked', () => {
  it.each([
    errorOf("Can't reach database server", { code: 'P1001' }),
    errorOf('Raw query failed', {
      code: 'P2010',
      meta: { driverAdapterError: { cause: { kind: 'DatabaseNotReachable' } } },
    }),
    errorOf('Raw query failed', {
      code: 'P2010',
      meta: { driverAdapterError: { cause: { kind: 'postgres', originalCode: '57P01' } } },
    }),
    errorOf('Connection terminated unexpectedly'),
    errorOf('Connection terminated: the database hangs, and was not asked'),
    errorOf('timeout exceeded when trying to connect'),
    errorOf('terminating connection due to administrator command', { code: '57P01' }),
    errorOf('wrapped', { cause: errorOf('the system is starting up', { code: '57P03' }) }),
  ])('is distinguished from a refusal: %s', (error) => {
    expect(isLostDatabase(error)).toBe(true);
    expect(toProblem(error, 'r')).toMatchObject({ status: 503, code: 'database_unavailable' });
  });

  it.each([
    errorOf('Unique constraint failed', { code: 'P2002' }),
    errorOf('duplicate key', { code: '23505' }),
    errorOf('Raw query failed', {
      code: 'P2010',
      meta: { driverAdapterError: { cause: { kind: 'postgres', originalCode: '23514' } } },
    }),
    'text',
    null,
  ])('is not what went wrong here: %s', (error) => {
    expect(isLostDatabase(error)).toBe(false);
    expect(toProblem(error, 'r')).toMatchObject({ status: 500, code: 'internal_error' });
  });

  it('ends, also where an error is its own cause', () => {
    const round = errorOf('round');
    round.cause = round;
    expect(isLostDatabase(round)).toBe(false);
  });
});

describe('another, empty database in place of the right one', () => {
  it.each([
    errorOf('relation "media_file" does not exist', { code: '42P01' }),
    errorOf('The table does not exist in the current database', { code: 'P2021' }),
    errorOf('database "overtone" does not exist', { code: '3D000' }),
    errorOf('password authentication failed for user "media"', { code: '28P01' }),
    errorOf('Invalid invocation', { cause: errorOf('no role', { code: '28000' }) }),
    errorOf('Raw query failed', {
      code: 'P2010',
      meta: { driverAdapterError: { cause: { kind: 'TableDoesNotExist', originalCode: '42P01' } } },
    }),
    errorOf('Authentication failed', {
      code: 'P1000',
      meta: { driverAdapterError: { cause: { kind: 'AuthenticationFailed' } } },
    }),
  ])('is answered with 503, and not taken for a database that does not respond: %s', (error) => {
    expect(toProblem(error, 'r')).toMatchObject({ status: 503, code: 'database_unavailable' });
    expect(isLostDatabase(error)).toBe(false);
  });
});

describe('a full disk, of the database or of the process', () => {
  it.each([
    errorOf('could not extend file "base/1/2": No space left on device', { code: '53100' }),
    errorOf('Raw query failed', {
      code: 'P2010',
      meta: { driverAdapterError: { cause: { kind: 'postgres', originalCode: '53100' } } },
    }),
    errorOf('Error in PostgreSQL connection', { cause: errorOf('disk full', { cause: { code: '53100' } }) }),
    errorOf('could not write to file "pg_wal/xlogtemp.1": No space left on device', { code: '58030' }),
    errorOf('ENOSPC: no space left on device, write', { code: 'ENOSPC' }),
  ])('is answered with 507: %s', (error) => {
    expect(toProblem(error, 'r')).toMatchObject({ status: 507, code: 'storage_full' });
  });
});
