import { describe, expect, it } from '@jest/globals';
import { isLostDatabase } from './lost-database.ts';
import { toProblem } from './problem.ts';

const told = (message: string, fields: object = {}): Error => Object.assign(new Error(message), fields);

describe('a database that cannot be asked', () => {
  it.each([
    told("Can't reach database server", { code: 'P1001' }),
    told('Raw query failed', {
      code: 'P2010',
      meta: { driverAdapterError: { cause: { kind: 'DatabaseNotReachable' } } },
    }),
    told('Raw query failed', {
      code: 'P2010',
      meta: { driverAdapterError: { cause: { kind: 'postgres', originalCode: '57P01' } } },
    }),
    told('Connection terminated unexpectedly'),
    told('Connection terminated: the database hangs, and was not asked'),
    told('timeout exceeded when trying to connect'),
    told('terminating connection due to administrator command', { code: '57P01' }),
    told('wrapped', { cause: told('the system is starting up', { code: '57P03' }) }),
  ])('is told from one that refuses: %s', (error) => {
    expect(isLostDatabase(error)).toBe(true);
    expect(toProblem(error, 'r')).toMatchObject({ status: 503, code: 'database_unavailable' });
  });

  it.each([
    told('Unique constraint failed', { code: 'P2002' }),
    told('duplicate key', { code: '23505' }),
    told('Raw query failed', {
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
    const round = told('round');
    round.cause = round;
    expect(isLostDatabase(round)).toBe(false);
  });
});
