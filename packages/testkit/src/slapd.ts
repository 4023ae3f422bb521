import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort, requireProgram, type ProcessSpec } from '@overtone/cli/servers';
import { createAuthority, purposes } from './certificates.ts';
import { start, type TestServer } from './servers.ts';

/** An OpenLDAP server of one's own, with the names and passwords its tests need. */
export type Slapd = {
  readonly ldapsPort: number;
  readonly base: string;
  readonly people: string;
  readonly groups: string;
  readonly bindDn: string;
  readonly bindPassword: string;
  /** The authority that signed the server's certificate. */
  readonly caPem: string;
  /** Changes entries as the directory's administrator; records without `changetype` are added. */
  readonly apply: (ldif: string) => Promise<void>;
} & TestServer;

/** What differs from server to server. */
export type SlapdOptions = {
  /** Loaded before the start; overlays do not see it (write `memberOf` out). */
  readonly seed?: string;
  /** Whether it keeps `memberOf`. */
  readonly memberOf?: boolean;
  /** Rules of access that come before its own. */
  readonly access?: readonly string[];
  /** Lines of `slapd.conf` before and in the database. */
  readonly global?: readonly string[];
  readonly database?: readonly string[];
};

/** The settings under which Overtone signs people in with it, in the clear. */
export function ldapSettings({ url, bindDn, bindPassword, people }: Slapd): Record<string, unknown> {
  return {
    ldap_enabled: true,
    ldap_server: url,
    ldap_use_ssl: false,
    ldap_bind_dn: bindDn,
    ldap_bind_password: bindPassword,
    ldap_search_base: people,
    ldap_username_attr: 'uid',
  };
}

const base = 'dc=example,dc=org';
const adminDn = `cn=admin,${base}`;

/** Starts OpenLDAP with memberOf, password policies (3 failures lock), TLS and StartTLS under an authority of its own. */
export async function startSlapd(options: SlapdOptions = {}): Promise<Slapd> {
  const port = await freePort();
  const ldapsPort = await freePort();
  let caPem = '';
  const server = await start(
    (folder) => ({
      ...slapd({ folder, port, ldapsPort }),
      prepare: async () => {
        caPem = await makeCertificates(join(folder, 'tls'));
        await mkdir(join(folder, 'db'));
        await writeFile(join(folder, 'slapd.conf'), configuration(folder, options));
        const seed = `${skeleton}\n${options.seed ?? ''}`;
        await run('slapadd', ['-q', '-f', join(folder, 'slapd.conf')], seed);
      },
    }),
    { port, url: `ldap://localhost:${port}` },
  );
  const apply = async (ldif: string) => {
    const login = ['-x', '-H', `ldap://127.0.0.1:${port}`, '-D', adminDn, '-w', 'admin'];
    await run('ldapmodify', [...login, '-a'], ldif);
  };
  return {
    ...server,
    ldapsPort,
    base: base,
    people: `ou=people,${base}`,
    groups: `ou=groups,${base}`,
    bindDn: `cn=svc,${base}`,
    bindPassword: 'svcpass',
    caPem,
    apply,
  };
}

/** A person as LDIF, with `<uid>-secret` as password and `<uid>@example.org` as address. */
export function personLdif(uid: string, more: readonly string[] = []): string {
  const own = (attribute: string) => more.some((line) => line.startsWith(`${attribute}:`));
  return [
    `dn: uid=${uid},ou=people,${base}`,
    'objectClass: inetOrgPerson',
    `uid: ${uid}`,
    ...(own('cn') ? [] : [`cn: Person ${uid}`]),
    `sn: ${uid}`,
    ...(own('mail') ? [] : [`mail: ${uid}@example.org`]),
    `userPassword: ${uid}-secret`,
    ...more,
    '\n',
  ].join('\n');
}

/** A group as LDIF; members are DNs. */
export function groupLdif(cn: string, members: readonly string[]): string {
  return [
    `dn: cn=${cn},ou=groups,${base}`,
    'objectClass: groupOfNames',
    `cn: ${cn}`,
    ...members.map((dn) => `member: ${dn}`),
    '\n',
  ].join('\n');
}

function slapd({ folder, port, ldapsPort }: { folder: string; port: number; ldapsPort: number }): ProcessSpec {
  const urls = `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${ldapsPort}`;
  return {
    name: 'slapd',
    command: requireProgram('slapd'),
    args: ['-f', join(folder, 'slapd.conf'), '-h', urls, '-d', '0'],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: '/', LC_ALL: 'C.UTF-8' },
    stopSignal: 'SIGTERM',
    probe: async () => (await canConnect(port)) && (await canConnect(ldapsPort)),
  };
}

async function canConnect(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

function configuration(
  folder: string,
  { memberOf = true, access = [], global = [], database = [] }: SlapdOptions,
): string {
  const overlay = ['overlay memberof', 'memberof-group-oc groupOfNames', 'memberof-refint true'];
  return `${[
    ...['core', 'cosine', 'inetorgperson', 'nis'].map((schema) => `include /etc/ldap/schema/${schema}.schema`),
    'modulepath /usr/lib/ldap',
    ...['back_mdb', 'memberof', 'refint', 'ppolicy'].map((module) => `moduleload ${module}`),
    `pidfile ${folder}/slapd.pid`,
    `argsfile ${folder}/slapd.args`,
    `TLSCACertificateFile ${folder}/tls/ca.pem`,
    `TLSCertificateFile ${folder}/tls/server.pem`,
    `TLSCertificateKeyFile ${folder}/tls/server.key`,
    'TLSVerifyClient never',
    'sizelimit 500',
    'threads 4',
    ...global,
    'database mdb',
    'maxsize 1073741824',
    `suffix "${base}"`,
    `rootdn "${adminDn}"`,
    'rootpw admin',
    `directory ${folder}/db`,
    'dbnosync',
    'index objectClass,entryUUID eq',
    'index uid,mail,cn eq,sub',
    'index member eq',
    `limits dn.exact="cn=svc,${base}" size=unlimited size.pr=unlimited size.prtotal=unlimited time=unlimited`,
    'access to attrs=userPassword by anonymous auth by * none',
    ...access,
    `access to * by dn.exact="cn=svc,${base}" read by users read by anonymous auth`,
    ...(memberOf ? overlay : []),
    'overlay ppolicy',
    `ppolicy_default "cn=default,ou=policies,${base}"`,
    'ppolicy_use_lockout',
    ...database,
  ].join('\n')}\n`;
}

function organisation(ou: string) {
  return `dn: ou=${ou},${base}\nobjectClass: organizationalUnit\nou: ${ou}\n`;
}

const skeleton = [
  `dn: ${base}\nobjectClass: organization\nobjectClass: dcObject\no: Example\ndc: example\n`,
  ...['people', 'groups', 'policies'].map(organisation),
  [
    `dn: cn=default,ou=policies,${base}`,
    'objectClass: person',
    'objectClass: pwdPolicy',
    'cn: default',
    'sn: default',
    'pwdAttribute: userPassword',
    'pwdLockout: TRUE',
    'pwdMaxFailure: 3',
    'pwdLockoutDuration: 600\n',
  ].join('\n'),
  [
    `dn: cn=svc,${base}`,
    'objectClass: organizationalRole',
    'objectClass: simpleSecurityObject',
    'cn: svc',
    'userPassword: svcpass\n',
  ].join('\n'),
].join('\n');

async function makeCertificates(folder: string): Promise<string> {
  await mkdir(folder);
  const authority = await createAuthority({ subject: { CN: 'Directory authority' } });
  const server = await authority.issue({
    subject: { CN: 'localhost' },
    purposes: [purposes.server],
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
  });
  await writeFile(join(folder, 'ca.pem'), authority.pem);
  await writeFile(join(folder, 'server.pem'), server.pem);
  await writeFile(join(folder, 'server.key'), server.keyPem, { mode: 0o600 });
  return authority.pem;
}

async function run(program: string, args: readonly string[], input: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = execFile(requireProgram(program), args, (error, _out, err) => {
      if (error === null) resolve();
      else reject(new Error(`${program} failed: ${err.trim().slice(0, 2000)}`, { cause: error }));
    });
    child.stdin?.end(input);
  });
}
