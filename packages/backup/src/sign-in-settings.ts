import type { Client } from 'pg';

/** They let people in, so they are never switched on by a restore. */
const signInSwitches = [
  'local_enabled',
  'ldap_enabled',
  'oidc_enabled',
  'pki_enabled',
  'proxy_enabled',
  'allow_registration',
];

/** Sign-in methods that are off now stay off. @returns their names, and those of other settings that differ. */
export async function limitSignInSettings(client: Client): Promise<{ switches: string[]; settings: string[] }> {
  return { switches: await keepSwitches(client), settings: await differentSettings(client) };
}

async function keepSwitches(client: Client): Promise<string[]> {
  const { rows: off } = await client.query<{ config_key: string }>(
    `insert into auth_config as c (config_key, category, config_value)
     select config_key, category, config_value from present_auth_config
     where config_key = any($1) and config_value = 'false'
     on conflict (config_key) do update set config_value = excluded.config_value, updated_at = now()
       where c.config_value <> excluded.config_value
     returning config_key`,
    [signInSwitches],
  );
  // Without a row the environment decides, now as before.
  const { rows: unset } = await client.query<{ config_key: string }>(
    `delete from auth_config c where config_key = any($1) and config_value = 'true'
       and not exists (select 1 from present_auth_config p where p.config_key = c.config_key)
     returning config_key`,
    [signInSwitches],
  );
  return [...off, ...unset].map(({ config_key }) => config_key).sort();
}

async function differentSettings(client: Client): Promise<string[]> {
  // The same secret is encrypted differently each time; its time of change is kept then.
  const { rows } = await client.query<{ config_key: string }>(
    `select coalesce(c.config_key, p.config_key) as config_key
     from auth_config c full join present_auth_config p on p.config_key = c.config_key
     where coalesce(c.config_key, p.config_key) <> all($1)
       and case when c.is_sensitive and p.is_sensitive then c.updated_at <> p.updated_at
                else c.config_value is distinct from p.config_value end
     order by 1`,
    [signInSwitches],
  );
  return rows.map(({ config_key }) => config_key);
}
