import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { keyedHashes, parseKeyRing } from '@overtone/service-kit';
import { createFolder } from '@overtone/testkit/cleanup';
import { setUpIdentity } from '../../test/running-identity.ts';

const main = fileURLToPath(new URL('../reseal.main.ts', import.meta.url));

function newKey(): string {
  return randomBytes(32).toString('base64');
}

let key = newKey();
const folder = await createFolder();
const file = join(folder, 'encryption_key');
await writeFile(file, key);
const { backends, identity } = await setUpIdentity({ ENCRYPTION_KEY: '', ENCRYPTION_KEY_FILE: file });
const { caller } = await identity.session();

function put(category: string, json: unknown) {
  return identity.ask(`/api/admin/auth-config/${category}`, { method: 'PUT', json, caller });
}

async function unreadable() {
  return (await identity.ask('/api/admin/auth-config/status', { caller })).body['unreadable'];
}

async function isSet(category: string, secret: string) {
  return (await identity.ask(`/api/admin/auth-config/${category}`, { caller })).body[`${secret}_is_set`];
}

async function keyIds() {
  return (
    await backends.sql.query<{ k: string }>('select distinct key_id as k from auth_config where is_sensitive')
  ).rows.map((row) => row.k);
}

/** The program that `./overtone rotate-key` starts. */
async function reseal() {
  const env = { ...process.env, DATABASE_URL: backends.database.urlFor('identity'), ENCRYPTION_KEY_FILE: file };
  const { stdout } = await promisify(execFile)(process.execPath, [main], { env });
  return JSON.parse(stdout) as { resealed: number; unreadable: string[] };
}

describe('a new key', () => {
  it('reseals every secret while identity runs, which uses the new key after the old one is removed', async () => {
    await put('ldap', { ldap_bind_dn: 'cn=reader,dc=example,dc=org', ldap_bind_password: 'one' });
    await put('oidc', { oidc_client_secret: 'two' });
    const [before] = await keyIds();
    const fresh = newKey();
    await writeFile(file, `${fresh},${key}`);
    expect(await reseal()).toEqual({ resealed: 2, unreadable: [] });
    await writeFile(file, fresh);
    key = fresh;
    const after = await keyIds();
    expect(after).toHaveLength(1);
    expect(after).not.toContain(before);
    expect([await isSet('ldap', 'ldap_bind_password'), await isSet('oidc', 'oidc_client_secret')]).toEqual([
      true,
      true,
    ]);
    await put('proxy', { proxy_shared_secret: 'three' });
    expect(await keyIds()).toEqual(after);
    expect(await unreadable()).toEqual([]);
  });

  it('changes neither author and time of a secret nor the history', async () => {
    const rows = async () =>
      (await backends.sql.query('select config_key, updated_by, updated_at from auth_config order by config_key')).rows;
    const count = async () => (await backends.sql.query('select 1 from auth_config_audit')).rowCount;
    const before = [await rows(), await count()];
    const fresh = newKey();
    await writeFile(file, `${fresh},${key}`);
    await reseal();
    key = `${fresh},${key}`;
    expect([await rows(), await count()]).toEqual(before);
    expect(await reseal()).toEqual({ resealed: 0, unreadable: [] });
  });

  it('does not change secrets that the old key cannot unseal, and names them', async () => {
    await backends.sql
      .query(`update auth_config a set config_value = b.config_value, key_id = b.key_id from auth_config b
      where a.config_key = 'proxy_shared_secret' and b.config_key = 'ldap_bind_password'`);
    await writeFile(file, `${newKey()},${key}`);
    expect(await reseal()).toEqual({ resealed: 2, unreadable: ['proxy_shared_secret'] });
  });

  it('keeps erased persons comparable after any number of changes, with keys that only the newest one opens', async () => {
    const person = 'gone@example.org';
    const [subject] = keyedHashes(parseKeyRing(key), 'erasure subject', randomUUID());
    const [address] = keyedHashes(parseKeyRing(key), 'erasure address', person);
    await backends.sql.query(
      `insert into erasure (status, key_id, subject_hash, address_hash, ordered_by, finished_at)
       values ('done', $1, $2, $3, gen_random_uuid(), now())`,
      [subject?.keyId, subject?.hash, address?.hash],
    );
    const find = async () =>
      (await identity.ask('/api/admin/erasures/find', { method: 'POST', json: { email: person }, caller })).body;
    expect(await find()).toMatchObject([{ status: 'done' }]);
    for (const round of [1, 2]) {
      const fresh = newKey();
      await writeFile(file, `${fresh},${key}`);
      expect((await reseal()).resealed).toBeGreaterThanOrEqual(2);
      await writeFile(file, fresh);
      key = fresh;
      expect({ round, found: await find() }).toMatchObject({ found: [{ status: 'done' }] });
    }
    await writeFile(file, newKey());
    expect(await find()).toEqual([]);
    await writeFile(file, key);
  });
});
