import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { requireProgram, type ProcessSpec } from '@overtone/cli/servers';
import { createAuthority, purposes } from './certificates.ts';
import { start, type TestServer } from './servers.ts';

/** An Active Directory domain controller (Samba) of one's own, LDAP only. It binds ports below 1024: only root may. */
export type SambaAd = {
  readonly host: string;
  readonly base: string;
  readonly bindDn: string;
  readonly bindPassword: string;
  readonly caPem: string;
  /** Runs `samba-tool` on the domain. */
  readonly tool: (...args: readonly string[]) => Promise<void>;
  /** Changes entries; records without `changetype` are added. */
  readonly apply: (ldif: string) => Promise<void>;
} & TestServer;

const administratorPassword = 'Passw0rd!Adm1n';

/** Starts a new domain on a loopback address of its own, so that several stand side by side on the same ports. */
export async function startSambaAd(): Promise<SambaAd> {
  // Allowed: an address that is not in use, and no data of a test.
  const host = `127.${randomInt(10, 250)}.${randomInt(1, 250)}.${randomInt(2, 250)}`;
  let root = '';
  let caPem = '';
  const server = await start(
    (own) => {
      const folder = join(own, 'domain');
      root = folder;
      return {
        ...controller(folder, host),
        prepare: async () => {
          await provision(folder, host);
          caPem = await makeCertificates(join(folder, 'private', 'tls'), host);
          await writeFile(join(folder, 'smb.conf'), configuration(folder, host));
        },
      };
    },
    { port: 636, url: `ldaps://${host}` },
  );
  const local = ['-H', join(root, 'private', 'sam.ldb'), '-s', join(root, 'smb.conf')];
  const bindDn = 'Administrator@ad.example.org';
  return {
    ...server,
    host,
    base: 'DC=ad,DC=example,DC=org',
    bindDn,
    bindPassword: administratorPassword,
    caPem,
    tool: async (...args) => await run('samba-tool', [...args, ...local]),
    apply: async (ldif) => {
      const env = { LDAPTLS_CACERT: join(root, 'private', 'tls', 'ca.pem') };
      const login = ['-x', '-H', `ldaps://${host}`, '-D', bindDn, '-w', administratorPassword];
      await run('ldapmodify', [...login, '-a'], { input: ldif, env });
    },
  };
}

function controller(folder: string, host: string): ProcessSpec {
  return {
    name: 'samba',
    command: requireProgram('samba'),
    args: ['-F', '--no-process-group', '-M', 'single', '-s', join(folder, 'smb.conf')],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: '/', LC_ALL: 'C.UTF-8' },
    stopSignal: 'SIGTERM',
    probe: async () => await canConnect(host, 636),
  };
}

async function canConnect(host: string, port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ port, host });
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

async function provision(folder: string, host: string): Promise<void> {
  await mkdir(folder);
  const empty = join(folder, 'empty.conf');
  await writeFile(empty, '[global]\n');
  await run('samba-tool', [
    'domain',
    'provision',
    `--configfile=${empty}`,
    `--targetdir=${folder}`,
    '--realm=AD.EXAMPLE.ORG',
    '--domain=EXAMPLE',
    '--server-role=dc',
    '--dns-backend=NONE',
    `--adminpass=${administratorPassword}`,
    '--host-name=dc1',
    `--host-ip=${host}`,
    `--option=interfaces=${host}/8`,
    '--option=bind interfaces only=yes',
  ]);
  for (const name of ['run', 'log', 'ncalrpc']) await mkdir(join(folder, name), { recursive: true });
}

async function makeCertificates(folder: string, host: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const authority = await createAuthority({ subject: { CN: 'Domain authority' } });
  const server = await authority.issue({
    subject: { CN: 'dc1.ad.example.org' },
    purposes: [purposes.server],
    dnsNames: ['dc1.ad.example.org'],
    ipAddresses: [host],
  });
  await writeFile(join(folder, 'ca.pem'), authority.pem);
  await writeFile(join(folder, 'cert.pem'), server.pem);
  await writeFile(join(folder, 'key.pem'), server.keyPem);
  await chmod(join(folder, 'key.pem'), 0o600); // else it refuses to start
  return await readFile(join(folder, 'ca.pem'), 'utf8');
}

function configuration(folder: string, host: string): string {
  return `${[
    '[global]',
    `interfaces = ${host}/8`,
    'bind interfaces only = yes',
    'netbios name = DC1',
    'realm = AD.EXAMPLE.ORG',
    'workgroup = EXAMPLE',
    'server role = active directory domain controller',
    'server services = ldap',
    `private dir = ${folder}/private`,
    `lock directory = ${folder}`,
    `state directory = ${folder}/state`,
    `cache directory = ${folder}/cache`,
    `pid directory = ${folder}/run`,
    `ncalrpc dir = ${folder}/ncalrpc`,
    `log file = ${folder}/log/log.%m`,
    'tls enabled = yes',
    `tls keyfile = ${folder}/private/tls/key.pem`,
    `tls certfile = ${folder}/private/tls/cert.pem`,
    `tls cafile = ${folder}/private/tls/ca.pem`,
    'ldap server require strong auth = yes',
  ].join('\n')}\n`;
}

async function run(
  program: string,
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = execFile(requireProgram(program), args, { env: { ...process.env, ...env } }, (error, _out, err) => {
      if (error === null) resolve();
      else reject(new Error(`${program} failed: ${err.trim().slice(0, 2000)}`, { cause: error }));
    });
    child.stdin?.end(input);
  });
}
