import { describe, expect, it } from '@jest/globals';
import { findEnvironmentFaults } from './check-environment.ts';

const before = { ...process.env };

/** The faults of the variables that these services would be started with. */
async function faultsOf(variables: Record<string, string>): Promise<string[]> {
  Object.assign(process.env, variables);
  try {
    return await findEnvironmentFaults({ ...before, ...variables });
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
}

describe('the environment of all services', () => {
  it('has no faults when nothing is set', async () => {
    expect(await faultsOf({})).toEqual([]);
  });

  it('is checked for every service at once, by name, value and what is allowed', async () => {
    const faults = await faultsOf({
      DB_POOL_SIZE: 'abc',
      RECORDING_IDLE_MINUTES: '-1',
      WS_HEARTBEAT_MS: '1',
      LDAP_PORT: '99999',
      SEARCH_SIMILARITY_FLOOR: '7',
      DOWNLOAD_CONCURRENCY: '0',
      LOG_FORMAT: 'xml',
      GPU_SCALE_WORKERS: '99',
      OT_MIRROR_S3_ENDPOINT: 'nowhere',
      OT_BACKUP_ROOTS: 'relative',
    });
    expect(faults.sort().map((fault) => fault.split(' is not valid: it must be '))).toEqual([
      ['DB_POOL_SIZE=abc', 'a whole number from 1 to 500'],
      ['DOWNLOAD_CONCURRENCY=0', 'a whole number from 1 to 64'],
      ['GPU_SCALE_WORKERS=99', 'a whole number from 1 to 32'],
      ['LDAP_PORT=99999', 'a whole number from 1 to 65535'],
      ['LOG_FORMAT=xml', 'one of text, json'],
      ['OT_BACKUP_ROOTS=relative', 'full paths of folders, separated by colons'],
      ['OT_MIRROR_S3_ENDPOINT is set without OT_MIRROR_S3_ACCESS_KEY_ID and OT_MIRROR_S3_SECRET_ACCESS_KEY'],
      ['OT_MIRROR_S3_ENDPOINT=nowhere', 'an address such as https://host:port'],
      ['RECORDING_IDLE_MINUTES=-1', 'a number from 0.01 to 1440'],
      ['SEARCH_SIMILARITY_FLOOR=7', 'a number from -1 to 1'],
      ['WS_HEARTBEAT_MS=1', 'a whole number of at least 100'],
    ]);
  });

  it('ignores what the product sets itself', async () => {
    expect(await faultsOf({ API_PORT: 'many', ENCRYPTION_KEY_FILE: '/nowhere', NATS_URL: 'x' })).toEqual([]);
  });

  it('must let all pools fit into the connections of the database', async () => {
    const faults = await faultsOf({ PG_MAX_CONNECTIONS: '100', DB_POOL_SIZE: '30' });
    expect(faults).toEqual([expect.stringMatching(/^PG_MAX_CONNECTIONS=100 is too low: .*DB_POOL_SIZE=30 /)]);
    expect(await faultsOf({ PG_MAX_CONNECTIONS: '200' })).toEqual([]);
  });
});
