import { personLdif, startSlapd } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { setUpIdentity } from './running-identity.ts';

/** Counts people, so that every test uses names of its own. */
let people = 0;

/** A directory and an identity service that uses it. */
export async function startDirectoryWorld(overrides: Record<string, string> = {}) {
  const slapd = await stopAfterFile(startSlapd());
  const ldap = {
    LDAP_ENABLED: 'true',
    LDAP_SERVER: slapd.url,
    LDAP_USE_SSL: 'false',
    LDAP_BIND_DN: slapd.bindDn,
    LDAP_BIND_PASSWORD: slapd.bindPassword,
    LDAP_SEARCH_BASE: slapd.people,
    LDAP_USERNAME_ATTR: 'uid',
    LDAP_TIMEOUT: '3',
    SIGN_IN_REFUSAL_MS: '0',
    RATE_LIMIT_ENABLED: 'false',
  };
  const { backends, identity } = await setUpIdentity({ ...ldap, ...overrides });
  const admin = (await identity.session()).caller;

  /** Changes settings the way an administrator does. */
  const set = async (category: string, values: Record<string, unknown>): Promise<void> => {
    const { status, body } = await identity.ask(`/api/admin/auth-config/${category}`, {
      method: 'PUT',
      json: values,
      caller: admin,
    });
    if (status !== 200) throw new Error(`settings refused: ${JSON.stringify(body)}`);
  };

  return {
    backends,
    slapd,
    identity,
    admin,
    ldap,
    set,
    /** Switches to another server, with the password that the change requires. */
    ask: (server: Record<string, unknown>) => set('ldap', { ...server, ldap_bind_password: slapd.bindPassword }),
    /** Adds a person to the directory. */
    person: async (more: readonly string[] = [], uid = `person${(people += 1)}`) => {
      await slapd.apply(personLdif(uid, more));
      return { uid, email: `${uid}@example.org`, password: `${uid}-secret`, dn: `uid=${uid},${slapd.people}` };
    },
    account: async (email: string) => {
      const { rows } = await backends.sql.query<Record<string, unknown>>(
        'select * from "user" where lower(email) = lower($1)',
        [email],
      );
      return rows[0];
    },
    audited: async (username: string) => {
      const { rows } = await backends.sql.query<{
        event_type: string;
        error_code: string | null;
        details: Record<string, unknown>;
      }>('select event_type, error_code, details from audit_log where username = $1 order by time', [username]);
      return rows;
    },
  };
}

export type DirectoryWorld = Awaited<ReturnType<typeof startDirectoryWorld>>;
