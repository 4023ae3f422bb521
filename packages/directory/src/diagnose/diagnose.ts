import { lookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import { configFaults } from '../config-faults.ts';
import type { Connection } from '../wire/connection.ts';
import { createConnection } from '../wire/connection.ts';
import { bindAsService } from '../wire/connections.ts';
import { deadlineIn, onOver, type Deadline } from '../wire/deadline.ts';
import { examinePeople } from './diagnose-people.ts';
import { DirectoryFailure } from '../wire/failures.ts';
import type { Diagnosis, DirectoryConfig } from '../model.ts';
import { readRootDse, type RootDse } from '../read/root-dse.ts';
import { parseServers, serverText, type ServerAddress } from '../wire/servers.ts';
import { createSteps, type Seen, type Steps } from './steps.ts';
import { encrypt, encryptionOf, openSocket, requestStartTls, trust, type Transport } from '../wire/transport.ts';

/** A server with a successful connection and bind. */
type Reached = {
  readonly connection: Connection;
  readonly root: RootDse;
};

/**
 * The connection test: every step in order, each with its result and advice. It takes at most three times the timeout;
 * checks that do not fit into this time are reported as not run.
 */
export async function diagnose(config: DirectoryConfig, now: () => Date): Promise<Diagnosis> {
  const steps = createSteps();
  const faults = configFaults(config);
  await steps.run('config', 'Settings', async () =>
    faults.length === 0
      ? { evidence: 'The settings are consistent.' }
      : {
          ok: false,
          evidence: faults.map(({ key, message }) => `${key}: ${message}`).join(' '),
          advice: 'Correct the settings named here.',
        },
  );
  if (faults.length > 0) return { ok: false, steps: steps.all(), server_info: null };
  const overall = deadlineIn(config.timeoutSeconds * 3000);
  const newDeadline = () => overall.within(config.timeoutSeconds * 1000);
  let reached: Reached | undefined;
  for (const server of parseServers(config)) {
    const found = await examineServer(server, { config, steps, newDeadline, now });
    if (reached === undefined) reached = found;
    else found?.connection.close();
  }
  if (reached !== undefined) {
    const { connection, root } = reached;
    await examinePeople({ config, steps, newDeadline, connection, root });
    connection.close();
  }
  const all = steps.all();
  return {
    ok: all.every(({ ok }) => ok),
    steps: all,
    server_info: reached === undefined ? null : infoOf(reached.root),
  };
}

function infoOf({ vendorName, vendorVersion, namingContexts }: RootDse) {
  return {
    vendor_name: vendorName,
    vendor_version: vendorVersion,
    naming_contexts: namingContexts,
  };
}

const soonDays = 30;

type Means = {
  readonly config: DirectoryConfig;
  readonly steps: Steps;
  readonly newDeadline: () => Deadline;
  readonly now: () => Date;
};

/** The steps from the server name to the service account; a failure ends the steps of this server. */
async function examineServer(server: ServerAddress, means: Means): Promise<Reached | undefined> {
  const { steps, newDeadline } = means;
  const take = async <T>(code: string, title: string, step: () => Promise<Seen<T>>) =>
    await steps.run(code, title, step, server);
  const found = await take('resolve', `Resolve ${server.host}`, async () => {
    const value = await resolve(server.host, newDeadline());
    return { evidence: value.join(', '), value };
  });
  if (found === undefined) return undefined;
  const socket = await take('connect', `Connect to ${serverText(server)}`, async () => {
    const value = await openSocket(server, newDeadline());
    return { evidence: `${value.remoteAddress ?? ''} port ${value.remotePort ?? ''}`, value };
  });
  if (socket === undefined) return undefined;
  if (server.security === 'start_tls') {
    const agreed = await take('start_tls', 'Ask for encryption (StartTLS)', async () => {
      await requestStartTls(socket, newDeadline());
      return { evidence: 'The server agrees.', value: true };
    });
    if (agreed === undefined) return undefined;
  }
  const transport = await take(
    'tls',
    'Encryption and certificate',
    async () => await examineTls(socket, server, means),
  );
  return transport === undefined ? undefined : await examineAccount(createConnection(server, transport), means);
}

async function examineTls(
  socket: Socket,
  server: ServerAddress,
  { config, newDeadline, now }: Means,
): Promise<Seen<Transport>> {
  if (server.security === 'plain') {
    const advice = 'Passwords travel in clear text: use LDAPS (ldap_use_ssl) or StartTLS (ldap_use_tls).';
    return { evidence: 'Not encrypted.', advice, value: { socket, encryption: null } };
  }
  const encrypted = await encrypt(socket, { server, context: trust(config.caPem), deadline: newDeadline() });
  const encryption = encryptionOf(encrypted);
  const { protocol, subject, issuer, validTo } = encryption;
  const days = (Date.parse(validTo) - now().getTime()) / 86_400_000;
  return {
    evidence: `${protocol}; ${subject}, issued by ${issuer}, valid until ${validTo}.`,
    advice: days < soonDays ? `The certificate ends in ${Math.floor(days)} days: renew it.` : null,
    value: { socket: encrypted, encryption },
  };
}

async function examineAccount(
  connection: Connection,
  { config, steps, newDeadline, now }: Means,
): Promise<Reached | undefined> {
  const advise = connection.server;
  const bound = await steps.run(
    'bind',
    'Sign in as the service account',
    async () => {
      await bindAsService(connection, config, newDeadline());
      const anonymous = config.bindDn === null || config.bindDn.trim() === '';
      return anonymous
        ? {
            evidence: 'No service account is set.',
            advice: 'Most directories return nothing to anonymous users: set one.',
            value: true,
          }
        : { evidence: `Bound as ${config.bindDn}.`, value: true };
    },
    advise,
  );
  if (bound === undefined) {
    connection.close();
    return undefined;
  }
  const root = await steps.run(
    'root_dse',
    'Server information',
    async () => {
      const value = await readRootDse(connection, newDeadline());
      const { vendorName, vendorVersion, namingContexts, ldapV3 } = value;
      const evidence = `${vendorName ?? 'Unnamed'} ${vendorVersion ?? ''}; ${namingContexts.join(' | ')}`;
      return ldapV3
        ? { evidence, value }
        : {
            ok: false,
            evidence: `${evidence}; no LDAP version 3`,
            advice: 'Use a server that speaks LDAP version 3.',
            value,
          };
    },
    advise,
  );
  if (root === undefined) {
    connection.close();
    return undefined;
  }
  await steps.run('clock', 'Clocks', async () => await Promise.resolve(compareClocks(root, now())));
  return { connection, root };
}

function compareClocks({ currentTime }: RootDse, now: Date): { ok?: boolean; evidence: string; advice?: string } {
  const [, y, mo, days, hours, mi, step] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(currentTime ?? '') ?? [];
  if (y === undefined) return { evidence: 'The server does not tell its time.' };
  const skew = Math.round((Date.parse(`${y}-${mo}-${days}T${hours}:${mi}:${step}Z`) - now.getTime()) / 1000);
  const evidence = `The server's clock differs by ${Math.abs(skew)} s.`;
  return Math.abs(skew) <= 60 ? { evidence } : { ok: false, evidence, advice: 'Synchronise the clocks (NTP).' };
}

/** The deadline covers all steps of the diagnosis, so it rejects the look-up, not a time-out of its own. */
async function resolve(host: string, deadline: Deadline): Promise<string[]> {
  let stop = () => {};
  try {
    const over = new Promise<never>((_, reject) => {
      stop = onOver(deadline, reject, `resolving ${host}`);
    });
    return (await Promise.race([lookup(host, { all: true }), over])).map(({ address }) => address);
  } catch (error) {
    if (error instanceof DirectoryFailure) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new DirectoryFailure('unreachable', `The name ${host} cannot be resolved (${code})`, { cause: error });
  } finally {
    stop();
  }
}
