import type { Socket } from 'node:net';
import { Malformed, readHead, tags } from './ber.ts';
import { onOver, type Deadline } from './deadline.ts';
import type { Entry } from './entry.ts';
import { DirectoryFailure } from './failures.ts';
import { operations, readEntry, readMessage, readResult, type Message, type Result } from './messages.ts';

/** The response to one request. */
export type Response = {
  readonly entries: readonly Entry[];
  /** The number of references to other servers; they are never followed. */
  readonly references: number;
  readonly result: Result;
};

/** What a response must be, and the limits of its size. */
type Expected = {
  /** The operation that ends the response. */
  readonly operation: number;
  readonly maxEntries: number;
  readonly maxBytes: number;
};

type Pending = {
  readonly id: number;
  readonly expected: Expected;
  readonly entries: Entry[];
  readonly resolve: (response: Response) => void;
  readonly reject: (failure: DirectoryFailure) => void;
  bytes: number;
  references: number;
};

const maxMessageBytes = 8 * 1024 * 1024;

/**
 * Sends requests over a socket, one at a time, and assembles their responses. The server's messages are delimited,
 * limited and validated; bytes that violate the protocol close the connection.
 */
export class Channel {
  failure: DirectoryFailure | undefined;
  readonly #socket: Socket;
  // The start of an incomplete message; the buffer grows by doubling.
  #kept = Buffer.alloc(0);
  #keptBytes = 0;
  #lastId = 0;
  #pending: Pending | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.fail(this.#lost(`Connection broken (${codeOf(error)})`, error)));
    socket.on('close', () => this.fail(this.#lost('The server closed the connection')));
    socket.on('end', () => this.fail(this.#lost('The server closed the connection')));
  }

  /** @throws DirectoryFailure, also while another request is pending; that one is not affected. */
  async request(encode: (id: number) => Buffer, expected: Expected, deadline: Deadline): Promise<Response> {
    if (this.failure !== undefined) throw this.failure;
    if (this.#pending !== undefined) throw new DirectoryFailure('protocol', 'Another request is pending');
    const id = this.#nextId();
    const bytes = encoded(encode, id);
    const cancel = onOver(deadline, (failure) => this.fail(failure), 'the directory');
    try {
      return await new Promise<Response>((resolve, reject) => {
        this.#pending = { id, expected, entries: [], resolve, reject, bytes: 0, references: 0 };
        this.#socket.write(bytes);
      });
    } finally {
      cancel();
    }
  }

  /** Sends a last message and closes the connection. */
  close(encode: (id: number) => Buffer): void {
    if (this.failure === undefined) this.#socket.write(encode(this.#nextId()));
    this.fail(new DirectoryFailure('unreachable', 'Closed'));
  }

  /** Closes the connection; the pending request is rejected with the failure. */
  fail(failure: DirectoryFailure): void {
    if (this.failure !== undefined) return;
    this.failure = failure;
    this.#socket.destroy();
    this.#pending?.reject(failure);
  }

  #nextId(): number {
    this.#lastId = this.#lastId === 0x7fff_ffff ? 1 : this.#lastId + 1;
    return this.#lastId;
  }

  #lost(text: string, cause?: Error): DirectoryFailure {
    const lost = this.#pending?.bytes === 0 && this.#keptBytes === 0;
    return new DirectoryFailure('unreachable', text, { cause, lost });
  }

  #receive(chunk: Buffer): void {
    if (this.failure !== undefined) return;
    try {
      const bytes = this.#join(chunk);
      let at = 0;
      for (let end = endOfMessage(bytes, at); end !== undefined; end = endOfMessage(bytes, at)) {
        this.#accept(bytes.subarray(at, end));
        at = end;
      }
      this.#keep(bytes, at);
    } catch (error) {
      const text =
        error instanceof Malformed ? `The server sent no LDAP: ${error.message}` : 'The answer cannot be read';
      this.fail(error instanceof DirectoryFailure ? error : new DirectoryFailure('protocol', text, { cause: error }));
    }
  }

  #join(chunk: Buffer): Buffer {
    if (this.#keptBytes === 0) return chunk;
    const size = this.#keptBytes + chunk.length;
    if (size > this.#kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#kept.length));
      this.#kept.copy(larger, 0, 0, this.#keptBytes);
      this.#kept = larger;
    }
    chunk.copy(this.#kept, this.#keptBytes);
    this.#keptBytes = size;
    return this.#kept.subarray(0, size);
  }

  // Received bytes may still be referenced, so the remainder is copied to a new buffer.
  #keep(bytes: Buffer, from: number): void {
    if (from === 0 && this.#keptBytes > 0) return;
    this.#kept = Buffer.from(bytes.subarray(from));
    this.#keptBytes = this.#kept.length;
  }

  #accept(bytes: Buffer): void {
    const message = readMessage(bytes);
    const pending = this.#pending;
    if (message.id === 0) throw disconnectionOf(message);
    if (pending === undefined || message.id !== pending.id) throw new Malformed('An answer to no question.');
    pending.bytes += bytes.length;
    if (pending.bytes > pending.expected.maxBytes) {
      throw new DirectoryFailure('limit', 'The server sent more than an answer may hold');
    }
    if (message.operation === pending.expected.operation) this.#finish(message, pending);
    else if (pending.expected.operation !== operations.searchDone) throw new Malformed('An answer of another kind.');
    else collect(message, pending);
  }

  #finish(message: Message, { entries, references, resolve }: Pending): void {
    const result = readResult(message);
    this.#pending = undefined;
    resolve({ entries, references, result });
  }
}

function encoded(encode: (id: number) => Buffer, id: number): Buffer {
  try {
    return encode(id);
  } catch (error) {
    throw new DirectoryFailure('protocol', 'The request cannot be encoded', { cause: error });
  }
}

function collect(message: Message, pending: Pending): void {
  if (message.operation === operations.searchReference) {
    pending.references += 1; // counted, never followed
    return;
  }
  if (message.operation !== operations.searchEntry) throw new Malformed('An answer of another kind.');
  if (pending.entries.length >= pending.expected.maxEntries) {
    throw new DirectoryFailure('limit', 'The server sent more entries than were asked for');
  }
  pending.entries.push(readEntry(message));
}

// Notice of disconnection (RFC 4511, 4.4.1), or an unsolicited message.
function disconnectionOf(message: Message): DirectoryFailure {
  if (message.operation !== operations.extendedResponse) return new DirectoryFailure('protocol', 'An unasked answer');
  const { code, diagnostic } = readResult(message);
  const words = diagnostic === '' ? '' : `: ${diagnostic}`;
  return new DirectoryFailure('busy', `The server ends the connection (LDAP result ${code})${words}`, { code });
}

function codeOf(error: Error & { code?: string }): string {
  return error.code ?? error.name;
}

// The end of the message that begins here; undefined while it is incomplete.
function endOfMessage(bytes: Buffer, at: number): number | undefined {
  if (at >= bytes.length) return undefined;
  if (bytes[at] !== tags.sequence) throw new Malformed('A message that is no sequence.');
  const head = readHead(bytes, at);
  if (head === undefined) return undefined;
  if (head.end - at > maxMessageBytes)
    throw new DirectoryFailure('limit', 'The server sent a message that is too large');
  return head.end <= bytes.length ? head.end : undefined;
}
