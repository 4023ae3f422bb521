import { describe, expect, it } from '@jest/globals';
import { connectionsNeeded } from '@overtone/database/connections';
import { dataFolder } from '../paths.ts';
import { poolLimits, serviceEnvironment, type EnvironmentSource } from './environment.ts';
import { maxConnections, planMark, portNames } from './plan.ts';

const services = ['edge-gateway', 'identity', 'media', 'transcription-worker', 'realtime-gateway'];

function source(more: Partial<EnvironmentSource> = {}): EnvironmentSource {
  return {
    folder: dataFolder('/data'),
    instance: {
      port: 8080,
      adminAnnounced: false,
      adminEmail: 'ada@example.org',
      ports: Object.fromEntries(portNames([...services, 'operations']).map((name, index) => [name, 20_000 + index])),
    },
    secrets: { file: (name) => `/data/secrets/${name}`, read: (name) => `${name}/pass` },
    uiFolder: '/ui',
    caller: { PATH: '/bin', LOG_LEVEL: 'debug' },
    ...more,
  };
}

describe('serviceEnvironment', () => {
  it('passes the public port to the edge only', () => {
    expect(services.filter((name) => serviceEnvironment(name, source())['API_PORT'] === '8080')).toEqual([
      'edge-gateway',
    ]);
  });

  it('passes the signing key of assertions to the edge only', () => {
    const holders = services.filter((name) => 'ASSERTION_PRIVATE_KEY_FILE' in serviceEnvironment(name, source()));
    expect(holders).toEqual(['edge-gateway']);
  });

  it('passes the database address only to services with tables, with their own role', () => {
    const urls = services.map((name) => serviceEnvironment(name, source())['DATABASE_URL']);
    expect(urls).toEqual([
      undefined,
      'postgresql://identity:db_identity%2Fpass@127.0.0.1:20000/overtone',
      'postgresql://media:db_media%2Fpass@127.0.0.1:20000/overtone',
      undefined,
      undefined,
    ]);
  });

  it('takes the signing secret from the environment, and from the data folder without one', () => {
    const signing = (caller: Record<string, string>) => {
      const { JWT_SECRET_KEY, JWT_SECRET_KEY_FILE } = serviceEnvironment('identity', source({ caller }));
      return [JWT_SECRET_KEY, JWT_SECRET_KEY_FILE];
    };
    expect(signing({})).toEqual([undefined, '/data/secrets/jwt_secret_key']);
    expect(signing({ JWT_SECRET_KEY: 'given' })).toEqual(['given', undefined]);
    expect(signing({ JWT_SECRET_KEY_FILE: '/run/key' })).toEqual([undefined, '/run/key']);
  });

  it('passes every service its own bus user', () => {
    const env = serviceEnvironment('media', source());
    expect([env['NATS_USER'], env['NATS_PASSWORD']]).toEqual(['media', 'nats_media/pass']);
  });

  it('names to operations the data folder that commands need, and only to it', () => {
    const folderOf = (name: string, given?: string) =>
      serviceEnvironment(name, source({ folder: dataFolder(given) }))['OT_DATA_FOLDER'];
    expect([folderOf('operations', '/data'), folderOf('operations'), folderOf('media', '/data')]).toEqual([
      '/data',
      undefined,
      undefined,
    ]);
  });

  it("passes the caller's variables on, but addresses cannot be overridden", () => {
    const env = serviceEnvironment('media', source({ caller: { LOG_LEVEL: 'debug', DATABASE_URL: 'elsewhere' } }));
    expect([env['LOG_LEVEL'], env['DATABASE_URL']]).toEqual(['debug', expect.stringContaining('@127.0.0.1')]);
  });

  it('passes secrets for initial settings to identity only', () => {
    const seeds = ['LDAP_BIND_PASSWORD', 'OIDC_CLIENT_SECRET_FILE', 'KEYCLOAK_CLIENT_SECRET', 'PROXY_SHARED_SECRET'];
    const input = source({ caller: { LDAP_SERVER: 'ds', ...Object.fromEntries(seeds.map((name) => [name, 'x'])) } });
    const knowing = services.filter((name) => seeds.some((seed) => seed in serviceEnvironment(name, input)));
    expect(knowing).toEqual(['identity']);
    expect(Object.keys(serviceEnvironment('identity', input))).toEqual(
      expect.arrayContaining([...seeds, 'LDAP_SERVER']),
    );
  });

  it('passes the passphrase and the keys of backups to no service that does not make backups', () => {
    const names = ['OT_BACKUP_PASSPHRASE', 'OT_BACKUP_S3_SECRET_ACCESS_KEY'];
    const input = source({ caller: Object.fromEntries(names.map((name) => [name, 'x'])) });
    const knowing = [...services, 'operations'].filter((name) =>
      names.some((variable) => variable in serviceEnvironment(name, input)),
    );
    expect(knowing).toEqual(['operations']);
  });

  it("tells the first administrator's password to identity only", () => {
    const input = source({
      adminPasswordFile: '/data/secrets/first',
      caller: { OT_ADMIN_PASSWORD: 'secret', OT_ADMIN_EMAIL: 'ada@example.org' },
    });
    const knowing = services.filter((name) =>
      Object.keys(serviceEnvironment(name, input)).some((key) => key.startsWith('OT_ADMIN')),
    );
    expect(knowing).toEqual(['identity']);
    expect(serviceEnvironment('identity', input)['OT_ADMIN_PASSWORD']).toBeUndefined();
  });

  it('uses the model folder of the caller', () => {
    expect(serviceEnvironment('media', source({ caller: { MODEL_CACHE_DIR: '/models' } }))['MODEL_CACHE_DIR']).toBe(
      '/models',
    );
    expect(serviceEnvironment('media', source())['MODEL_CACHE_DIR']).toBe('/data/models');
  });
});

describe('maxConnections', () => {
  it('is sufficient for every pool at its maximum', () => {
    expect(maxConnections({ DB_POOL_SIZE: '50', DB_MAX_OVERFLOW: '50' })).toBe(
      connectionsNeeded({ DB_POOL_SIZE: 50, DB_MAX_OVERFLOW: 50 }),
    );
    expect(maxConnections({ DB_POOL_SIZE: '50' })).toBe(connectionsNeeded({ DB_POOL_SIZE: 50, DB_MAX_OVERFLOW: 0 }));
  });

  it('is 200 by default, as specified', () => {
    expect(maxConnections({})).toBe(200);
    expect(connectionsNeeded(poolLimits({}))).toBeLessThanOrEqual(200);
    expect(serviceEnvironment('media', source())).toMatchObject({ DB_POOL_SIZE: '20', DB_MAX_OVERFLOW: '5' });
  });

  it('is the value of the caller, which the pools follow', () => {
    expect(maxConnections({ PG_MAX_CONNECTIONS: '77' })).toBe(77);
    expect(poolLimits({ PG_MAX_CONNECTIONS: '180' })).toEqual({ DB_POOL_SIZE: 20, DB_MAX_OVERFLOW: 2 });
    expect(poolLimits({ PG_MAX_CONNECTIONS: '1000' })).toEqual({ DB_POOL_SIZE: 20, DB_MAX_OVERFLOW: 40 });
    expect(poolLimits({ PG_MAX_CONNECTIONS: '1000', DB_MAX_OVERFLOW: '7' })).toMatchObject({ DB_MAX_OVERFLOW: 7 });
  });
});

describe('planMark', () => {
  it('changes when a service is added or removed, and is stable otherwise', () => {
    expect(planMark(services)).toBe(planMark(services));
    expect(planMark(services)).not.toBe(planMark(services.slice(1)));
  });
});
