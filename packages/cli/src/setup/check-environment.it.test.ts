import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { faultsIn } from '@overtone/service-kit/env';
import { furtherVariables } from '../configuration/script-variables.ts';
import { loadServiceVariables } from '../configuration/service-variables.ts';
import { productFolder } from '../paths.ts';
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

/** The service whose address a variable of the edge has: MEDIA_URL. */
function serviceOf(variable: string): string {
  return variable.replace(/_URL$/, '').toLowerCase().replaceAll('_', '-');
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
      OT_ADMIN_EMAIL: 'ada',
    });
    expect(faults.sort().map((fault) => fault.split(' is not valid: it must be '))).toEqual([
      ['DB_POOL_SIZE=abc', 'a whole number from 1 to 500'],
      ['DOWNLOAD_CONCURRENCY=0', 'a whole number from 1 to 64'],
      ['GPU_SCALE_WORKERS=99', 'a whole number from 1 to 32'],
      ['LDAP_PORT=99999', 'a whole number from 1 to 65535'],
      ['LOG_FORMAT=xml', 'one of text, json'],
      ['OT_ADMIN_EMAIL=ada', 'an e-mail address'],
      ['OT_BACKUP_ROOTS=relative', 'full paths of folders, separated by colons'],
      ['OT_MIRROR_S3_ENDPOINT is set without OT_MIRROR_S3_ACCESS_KEY_ID and OT_MIRROR_S3_SECRET_ACCESS_KEY'],
      ['OT_MIRROR_S3_ENDPOINT=nowhere', 'an address such as https://host:port'],
      ['RECORDING_IDLE_MINUTES=-1', 'a number from 0.01 to 1440'],
      ['SEARCH_SIMILARITY_FLOOR=7', 'a number from -1 to 1'],
      ['WS_HEARTBEAT_MS=1', 'a whole number of at least 100'],
    ]);
  });

  it('is checked for every variable of docs/configuration.md that is not free text', async () => {
    const page = readFileSync(join(productFolder, 'docs', 'configuration.md'), 'utf8');
    const names = [...page.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, name]) => name!);
    const shapes = [...(await loadServiceVariables()).values(), furtherVariables];
    const wrong = 'no value: \u0007, 1 2';
    const checked = [...new Set(names)].filter((name) =>
      shapes.some((shape) => faultsIn(shape, { [name]: wrong }).some((found) => found.name === name)),
    );
    const faults = await faultsOf(Object.fromEntries(checked.map((name) => [name, wrong])));
    const missed = checked.filter((name) => !faults.some((fault) => fault.startsWith(`${name}=`)));
    expect(checked.length).toBeGreaterThan(150);
    // Set for each process by the supervisor, whatever the caller has. ENCRYPTION_KEY: see secrets.ts.
    const ownValue =
      /^(API|INTERNAL)_PORT$|_REQUIRES_MARKER$|^(DATABASE|NATS|REDIS)_URL$|^ENCRYPTION_KEY$|^OT_DATA_FOLDER$/;
    const isService = (name: string) => existsSync(join(productFolder, 'services', serviceOf(name)));
    expect(missed.filter((name) => !ownValue.test(name) && !isService(name))).toEqual([]);
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
