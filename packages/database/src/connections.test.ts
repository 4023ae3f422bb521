import { describe, expect, it } from '@jest/globals';
import { connectionsNeeded, describeMissingConnections, fittingOverflow } from './connections.ts';
import { databaseRoles } from './migrate.ts';

describe('connections', () => {
  it('counts one pool for each service with tables, and those for administration', () => {
    const limits = { DB_POOL_SIZE: 50, DB_MAX_OVERFLOW: 50 };
    expect(connectionsNeeded(limits)).toBe(databaseRoles.length * 102 + 10);
    expect(connectionsNeeded(limits, 3)).toBe(316);
  });

  it.each([1, 5, 20, 25])('leaves an overflow with which pools of %i fit into 200 connections', (size) => {
    const overflow = fittingOverflow(size, 200);
    expect(connectionsNeeded({ DB_POOL_SIZE: size, DB_MAX_OVERFLOW: overflow })).toBeLessThanOrEqual(200);
    expect(connectionsNeeded({ DB_POOL_SIZE: size, DB_MAX_OVERFLOW: overflow + 1 })).toBeGreaterThan(200);
  });

  it('leaves the specified overflow where the server accepts enough connections', () => {
    expect(fittingOverflow(20, 1_000)).toBe(40);
    expect(connectionsNeeded({ DB_POOL_SIZE: 20, DB_MAX_OVERFLOW: 40 })).toBeLessThanOrEqual(1_000);
  });

  it('names the variables, their values and the least number when a server is too small', () => {
    const limits = { DB_POOL_SIZE: 20, DB_MAX_OVERFLOW: 40 };
    const text = describeMissingConnections(limits, 200);
    expect(text).toContain('PG_MAX_CONNECTIONS=200');
    expect(text).toContain('DB_POOL_SIZE=20 and DB_MAX_OVERFLOW=40');
    expect(text).toContain(`need ${connectionsNeeded(limits)} connections`);
    expect(describeMissingConnections(limits, connectionsNeeded(limits))).toBeUndefined();
  });
});
