import { Malformed, Reader, tags } from './ber.ts';
import { Channel, type Response } from './channel.ts';
import type { Deadline } from './deadline.ts';
import type { Entry } from './entry.ts';
import { DirectoryFailure, failureOf, resultCodes } from './failures.ts';
import { operations } from './messages.ts';
import { controlTypes, encodeBind, encodeSearch, encodeUnbind, type SearchRequest } from './requests.ts';
import type { ServerAddress } from './servers.ts';
import type { Encryption, Transport } from './transport.ts';

/** The entries and the result of a search, for any result code. */
export type Found = {
  readonly code: number;
  readonly diagnostic: string;
  readonly entries: readonly Entry[];
  /** The number of references to other servers; they are never followed. */
  readonly references: number;
  /** The cookie of the next page; empty after the last page, undefined without paging. */
  readonly cookie: Buffer | undefined;
};

/** The result of a bind. */
export type Bound = {
  readonly code: number;
  readonly diagnostic: string;
  /** The response of the password policy control (draft-behera-ldap-password-policy), if any. */
  readonly policyError: number | undefined;
};

/** One connection, used for one request at a time. */
export type Connection = {
  readonly server: ServerAddress;
  readonly encryption: Encryption | null;
  readonly isOpen: () => boolean;
  readonly search: (request: SearchRequest, deadline: Deadline) => Promise<Found>;
  /** Binds as an entry. An empty name or password would be an anonymous bind and is never sent. */
  readonly bind: (dn: string, password: string, deadline: Deadline) => Promise<Bound>;
  readonly close: () => void;
};

// Some servers (Samba) ignore the size limit.
const excess = 100;
const maxSearchBytes = 64 * 1024 * 1024;
const maxBindBytes = 64 * 1024;

/** Creates an LDAP connection over a transport. */
export function createConnection(server: ServerAddress, { socket, encryption }: Transport): Connection {
  const channel = new Channel(socket);
  return {
    server,
    encryption,
    isOpen: () => channel.failure === undefined,
    search: async (request, deadline) => {
      const seconds = Math.max(1, Math.ceil(deadline.remainingMs() / 1000));
      const maxEntries = request.maxEntries + excess;
      const expected = { operation: operations.searchDone, maxEntries, maxBytes: maxSearchBytes };
      return foundIn(await channel.request((id) => encodeSearch(id, request, seconds), expected, deadline));
    },
    bind: async (dn, password, deadline) => {
      if (dn.trim() === '' || isEmptyPassword(password)) throw new DirectoryFailure('config', 'An anonymous bind');
      const expected = { operation: operations.bindResponse, maxEntries: 0, maxBytes: maxBindBytes };
      return boundIn(await channel.request((id) => encodeBind(id, dn, password), expected, deadline));
    },
    close: () => channel.close(encodeUnbind),
  };
}

/** @throws DirectoryFailure for every result other than success. */
export async function searchOrFail(
  connection: Pick<Connection, 'search'>,
  request: SearchRequest,
  deadline: Deadline,
): Promise<Found> {
  const found = await connection.search(request, deadline);
  if (found.code !== resultCodes.success) throw failureOf(found.code, found.diagnostic);
  return found;
}

/** Passwords that a server could treat as empty (RFC 4513, 5.1.2). */
export function isEmptyPassword(password: string): boolean {
  return /^[\s\0]*$/.test(password);
}

function foundIn({ entries, references, result: { code, diagnostic, controls } }: Response): Found {
  const value = controls.get(controlTypes.paging);
  return { code, diagnostic, entries, references, cookie: value === undefined ? undefined : cookieIn(value) };
}

function cookieIn(value: Buffer): Buffer {
  try {
    const page = new Reader(value).inside(tags.sequence);
    page.integer();
    return page.octets();
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new DirectoryFailure('protocol', 'The paging answer cannot be read', { cause: error });
  }
}

function boundIn({ result: { code, diagnostic, controls } }: Response): Bound {
  return { code, diagnostic, policyError: policyErrorIn(controls.get(controlTypes.passwordPolicy)) };
}

// An unreadable policy response is ignored; the result code decides.
function policyErrorIn(value: Buffer | undefined): number | undefined {
  if (value === undefined) return undefined;
  try {
    const policy = new Reader(value).inside(tags.sequence);
    if (policy.peek() === 0xa0) policy.next();
    return policy.peek() === 0x81 ? policy.integer(0x81) : undefined;
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
