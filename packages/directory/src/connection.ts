import type { Socket } from 'node:net';
import { Client, Control, PasswordPolicyControl, type BerWriter } from 'ldapts';
import { element, integer, Malformed, Reader, tags } from './ber.ts';
import { onOver, type Deadline } from './deadline.ts';
import { asFailure, DirectoryFailure } from './failures.ts';
import { toWire, type Filter } from './filter.ts';
import { Link, type Arrived, type Bounds } from './link.ts';
import type { Entry } from './entry.ts';
import type { ServerAddress } from './servers.ts';
import type { Encryption, Transport } from './transport.ts';

/** A search request. */
export type Question = {
  readonly base: string;
  readonly scope: 'base' | 'one' | 'sub';
  readonly filter: Filter;
  readonly attributes: readonly string[];
  /** Size limit sent to the server; the connection is closed when the server sends far more entries. */
  readonly maxEntries: number;
  readonly page?: { readonly size: number; readonly cookie: Buffer };
};

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
  readonly search: (question: Question, deadline: Deadline) => Promise<Found>;
  /** Binds as an entry. An empty name or password would be an anonymous bind and is never sent. */
  readonly bind: (dn: string, password: string, deadline: Deadline) => Promise<Bound>;
  readonly close: () => void;
};

const PAGED = '1.2.840.113556.1.4.319';
// Some servers (Samba) ignore the size limit.
const EXCESS = 100;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Creates an LDAP connection over a transport. */
export function createConnection(server: ServerAddress, { socket, encryption }: Transport): Connection {
  const link = new Link(socket);
  const client = clientOver(link);
  const ask = async (bounds: Bounds, deadline: Deadline, send: () => Promise<unknown>): Promise<Arrived> => {
    if (link.failure !== undefined) throw link.failure;
    link.begin(bounds);
    const stop = onOver(deadline, (failure) => link.fail(failure), 'the directory');
    try {
      await send();
    } catch (error) {
      // The library's error is ignored, because the link has the result code.
      if (link.failure !== undefined) throw link.failure;
      const arrived = link.arrivedNow();
      if (arrived !== undefined) return arrived;
      throw asFailure(error);
    } finally {
      stop();
    }
    const arrived = link.arrivedNow();
    if (arrived === undefined) throw new DirectoryFailure('protocol', 'No result');
    return arrived;
  };
  return {
    server,
    encryption,
    isOpen: () => link.isOpen,
    search: async (question, deadline) => {
      const bounds = { maxEntries: question.maxEntries + EXCESS, maxBytes: MAX_ANSWER_BYTES };
      const seconds = Math.max(1, Math.ceil(deadline.remainingMs() / 1000));
      return found(await ask(bounds, deadline, async () => await send(client, question, seconds)));
    },
    bind: async (dn, password, deadline) => {
      if (dn.trim() === '' || isEmptyPassword(password)) throw new DirectoryFailure('config', 'An anonymous bind');
      const bounds = { maxEntries: 0, maxBytes: 64 * 1024 };
      return bound(
        await ask(bounds, deadline, async () => await client.bind(dn, password, [new PasswordPolicyControl()])),
      );
    },
    close: () => {
      void client.unbind().catch(() => undefined);
      link.fail(new DirectoryFailure('unreachable', 'Closed'));
    },
  };
}

/** Passwords that a server could treat as empty (RFC 4513, 5.1.2). */
export function isEmptyPassword(password: string): boolean {
  return /^[\s\0]*$/.test(password);
}

// A placeholder address: the connection is already open, and the library opens no other.
function clientOver(link: Link): Client {
  let taken = false;
  return new Client({
    url: 'ldap://directory',
    createConnection: () => {
      if (taken) throw new DirectoryFailure('unreachable', 'The connection is closed');
      taken = true;
      return link as unknown as Socket;
    },
  });
}

async function send(client: Client, question: Question, timeLimit: number): Promise<void> {
  const { base, scope, filter, attributes, maxEntries, page } = question;
  await client.search(
    base,
    { scope, filter: toWire(filter), attributes: [...attributes], sizeLimit: page ? 0 : maxEntries, timeLimit },
    page === undefined ? [] : [new PageControl(page)],
  );
}

// Our own control class, because the library's cannot be parsed from a response.
class PageControl extends Control {
  readonly page: { size: number; cookie: Buffer };

  constructor(page: { size: number; cookie: Buffer }) {
    super(PAGED, { critical: true });
    this.page = page;
  }

  override writeControl(writer: BerWriter): void {
    const value = element(tags.sequence, integer(this.page.size), element(tags.octets, this.page.cookie));
    writer.writeBuffer(value, tags.octets);
  }
}

function found({ entries, references, result }: Arrived): Found {
  const { code, diagnostic, controls } = result;
  const value = controls.get(PAGED);
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

function bound({ result }: Arrived): Bound {
  const { code, diagnostic, controls } = result;
  return { code, diagnostic, policyError: policyErrorIn(controls.get(PasswordPolicyControl.type)) };
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
