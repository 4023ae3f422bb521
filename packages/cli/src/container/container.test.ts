import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { topology } from '@overtone/contracts';
import { busConfig, busPassword, envLines, missing, unusable } from './container.ts';
import { configObjects, secretsOf } from './kubernetes.ts';

const variables = new Map();

function fresh() {
  return missing({}, '1.2.3', () => 'Ot-first-password-1');
}

describe('missing', () => {
  it('keeps what is there', () => {
    const values = fresh();
    expect(missing(values, '2.0.0', () => 'other')).toEqual({});
    expect(Object.keys(missing({ ...values, REDIS_PASSWORD: '' }, '2.0.0', () => 'other'))).toEqual(['REDIS_PASSWORD']);
  });

  it('pins a fresh install to the release that it installs', () => {
    expect(fresh()['OT_IMAGE_TAG']).toBe('1.2.3');
  });

  it('creates both keys of assertions again when one of them is lost', () => {
    const { ASSERTION_PUBLIC_KEY: _lost, ...rest } = fresh();
    expect(Object.keys(missing(rest, '1.2.3', () => ''))).toEqual(['ASSERTION_PUBLIC_KEY', 'ASSERTION_PRIVATE_KEY']);
  });

  it('makes no password twice', () => {
    const passwords = Object.entries(fresh()).filter(([name]) => name.includes('PASSWORD'));
    expect(new Set(passwords.map(([, value]) => value)).size).toBe(passwords.length);
  });
});

describe('.env', () => {
  it('gives back what was written, keys of several lines too', () => {
    const values = fresh();
    expect(parseEnv(envLines(values))).toEqual(values);
  });
});

describe('unusable', () => {
  it('finds no fault in generated values', () => {
    for (let i = 0; i < 200; i += 1) expect(unusable(fresh())).toEqual([]);
  });

  it.each(['1beginswithadigit', 'with@sign-in-it', 'short', 'sla/sh-password', "quote'password"])(
    'refuses %s, which an address or the bus server would read as something else',
    (password) => {
      expect(unusable({ DB_PASSWORD_MEDIA: password })).toEqual(['DB_PASSWORD_MEDIA']);
      expect(unusable({ NATS_PASSWORD_MEDIA: password })).toEqual(['NATS_PASSWORD_MEDIA']);
    },
  );

  it('keeps the keys of an S3 server', () => {
    expect(unusable({ S3_SECRET_ACCESS_KEY: 'ab/cd+ef' })).toEqual([]);
  });
});

describe('busConfig', () => {
  it('contains every service with the variable of its password, and no password', () => {
    const text = busConfig();
    for (const user of Object.keys(topology)) {
      expect(text).toContain(`{ user: "${user}", password: $${busPassword(user)}, permissions:`);
    }
    expect(text).toContain('http_port: 8222');
  });
});

describe('secretsOf', () => {
  it('passes the signing key of assertions to the edge only, and that of sessions to identity only', () => {
    const holders = (key: string) => Object.keys(topology).filter((name) => key in secretsOf(name, fresh(), variables));
    expect(holders('ASSERTION_PRIVATE_KEY')).toEqual(['edge-gateway']);
    expect(holders('JWT_SECRET_KEY')).toEqual(['identity']);
    expect(holders('ENCRYPTION_KEY')).toEqual([
      'identity',
      'directory-sync',
      'media',
      'transcription-dispatcher',
      'operations',
      'insights',
    ]);
  });

  it('uses an external database when its address is set', () => {
    const elsewhere = { POSTGRES_ADDRESS: 'db.example.org:6432', POSTGRES_PARAMETERS: 'sslmode=verify-full' };
    const values = fresh();
    expect(secretsOf('media', { ...values, ...elsewhere }, variables)['DATABASE_URL']).toBe(
      `postgresql://media:${values['DB_PASSWORD_MEDIA']}@db.example.org:6432/overtone?sslmode=verify-full`,
    );
  });
});

describe('configObjects', () => {
  it('contains no empty secret', () => {
    const empty = configObjects(fresh(), variables).flatMap((object) =>
      Object.entries({ ...object.stringData, ...object.data }).filter(([, value]) => value === ''),
    );
    expect(empty).toEqual([]);
  });
});
