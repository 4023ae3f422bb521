import type { SecureContext } from 'node:tls';
import { createConnection, type Connection } from './connection.ts';
import { deadlineIn, type Deadline } from './deadline.ts';
import { asFailure, DirectoryFailure, failureOf, resultCodes } from './failures.ts';
import type { DirectoryConfig } from '../model.ts';
import type { ServerAddress } from './servers.ts';
import { openTransport, trust } from './transport.ts';

/** Functions that open connections to a server. */
export type Connections = {
  /** An unbound (anonymous) connection. */
  readonly open: (server: ServerAddress, deadline: Deadline) => Promise<Connection>;
  /** A connection that is bound as the service account, or anonymous without one. */
  readonly openAsService: (server: ServerAddress, deadline: Deadline) => Promise<Connection>;
};

// A wrong password of the service account must not be retried with every sign-in, or the directory locks the account.
const refusedMs = 5000;

/** Opens connections by the configuration. */
export function createConnections(config: DirectoryConfig): Connections {
  let context: SecureContext | undefined;
  let refused: { failure: DirectoryFailure; until: number } | undefined;
  const trusted = () => (context ??= trust(config.caPem));
  const open = async (server: ServerAddress, deadline: Deadline) =>
    createConnection(server, await openTransport(server, { trusted, deadline }));
  return {
    open,
    openAsService: async (server, deadline) => {
      if (refused !== undefined && performance.now() < refused.until) throw refused.failure;
      const connection = await open(server, deadline);
      try {
        await bindAsService(connection, config, deadline);
        return connection;
      } catch (error) {
        connection.close();
        if (error instanceof DirectoryFailure && error.reason === 'bind_failed') {
          refused = { failure: error, until: performance.now() + refusedMs };
        }
        throw error;
      }
    },
  };
}

/**
 * Opens a connection to the first reachable server.
 * @throws DirectoryFailure
 */
export async function openFirstReachable(
  config: DirectoryConfig,
  servers: readonly ServerAddress[],
  { onRequest, signal }: { onRequest: () => void; signal: AbortSignal },
): Promise<Connection> {
  const { openAsService } = createConnections(config);
  let failure: unknown;
  for (const server of servers) {
    try {
      onRequest();
      return await openAsService(server, deadlineIn(config.timeoutSeconds * 1000));
    } catch (error) {
      failure = error;
      if (asFailure(error).reason !== 'unreachable' || signal.aborted) break;
    }
  }
  throw failure;
}

/** @throws DirectoryFailure */
export async function bindAsService(
  connection: Connection,
  { bindDn, bindPassword }: Pick<DirectoryConfig, 'bindDn' | 'bindPassword'>,
  deadline: Deadline,
): Promise<void> {
  if (bindDn === null || bindDn.trim() === '') return;
  const { code, diagnostic } = await connection.bind(bindDn, bindPassword ?? '', deadline);
  if (code === resultCodes.success) return;
  const failure = failureOf(code, diagnostic);
  if (failure.reason === 'busy' || failure.code === 8 || failure.code === 13) throw failure;
  throw new DirectoryFailure('bind_failed', `Failed to bind to LDAP server: ${failure.message}`, { code });
}
