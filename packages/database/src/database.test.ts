import { describe, expect, it } from '@jest/globals';
import { busEnv, createService, createServiceBase, serviceEnv, type Slice } from '@overtone/service-kit';
import { z } from 'zod';
import { createEventDatabase, databaseEnv } from './index.ts';

const nowhere = {
  API_PORT: 0,
  INTERNAL_PORT: 0,
  NATS_URL: 'nats://127.0.0.1:1',
  DATABASE_URL: 'postgresql://127.0.0.1:1/none',
};

function createWith(choose: (database: { slice: Slice; relay: Slice }) => Slice[]) {
  const base = createServiceBase('media', z.object({ ...serviceEnv, ...busEnv, ...databaseEnv }).parse(nowhere));
  const database = createEventDatabase(base, () => ({ $disconnect: async () => {} }));
  return () => createService({ ...base, slices: choose(database) });
}

describe('a service with an event database', () => {
  it('is refused without the relay of its outbox, which would never publish its events', () => {
    expect(createWith(({ slice }) => [slice])).toThrow('media lists no slice with the part outbox');
  });

  it('is refused without its database', () => {
    expect(createWith(({ relay }) => [relay])).toThrow('media lists no slice with the part database');
  });

  it('is created with both, whatever stands between them', () => {
    expect(createWith(({ slice, relay }) => [slice, {}, relay])).not.toThrow();
  });
});
