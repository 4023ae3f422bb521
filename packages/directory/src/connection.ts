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

/** What is asked of a server. */
export interface Question {
  readonly base: string;
  readonly scope: 'base' | 'one' | 'sub';
  readonly filter: Filter;
  readonly attributes: readonly string[];
  /** Size limit sent to the server; the connection is closed when the server sends far more entries. */
  readonly maxEntries: number;
  readonly page?: { readonly size: number; readonly cookie: Buffer };
}

/** What a search brought, whatever its result code. */
export interface Found {
  readonly code: number;
  readonly diagnostic: string;
  readonly entries: readonly Entry[];
  /** References to other servers; they are counted and never followed. */
  readonly references: number;
  /** Where the next page begins; empty after the last, nothing when the server did not page. */
  readonly cookie: Buffer | undefined;
}

/** How a bind ended. */
export interface Bound {
  readonly code: number;
  readonly diagnostic: string;
  /** The password policy's word (draft-behera-ldap-password-policy), when it has one. */
  readonly policyError: number | undefined;
}

/** One connection, used for one question at a time. */
export interface Connection {
  readonly server: ServerAddress;
  readonly encryption: Encryption | null;
  readonly isOpen: () => boolean;
  readonly search: (question: Question, deadline: Deadline) => Promise<Found>;
  /** Binds as an entry; an empty name or password, which a server takes for an anonymous bind, never leaves. */
  readonly bind: (dn: string, password: string, deadline: Deadline) => Promise<Bound>;
  readonly close: () => void;
}

const PAGED = '1.2.840.113556.1.4.319';
// Some servers (Samba) ignore the size limit.
const EXCESS = 100;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Speaks LDAP over a transport. */
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
      // Its word on a result code is not needed: the link has the code.
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

/** What some server would take for no password at all (RFC 4513, 5.1.2). */
export const isEmptyPassword = (password: string): boolean => /^[\s\0]*$/.test(password);

// The address is a formality: the connection stands already, and there is no second one.
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

// Ours, because the library's own cannot be read after an answer.
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

// A policy answer that cannot be read says nothing; the result code speaks for itself.
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
