import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Malformed, readHead, tags } from './ber.ts';
import { DirectoryFailure } from './failures.ts';
import type { Entry } from './entry.ts';
import { operations, readEntry, readMessage, readResult, type Message, type Result } from './messages.ts';

/** The limits of one operation's response. */
export type Bounds = {
  readonly maxEntries: number;
  readonly maxBytes: number;
};

/** The response of an operation. */
export type Arrived = {
  readonly entries: readonly Entry[];
  readonly references: number;
  readonly result: Result;
};

type Pending = {
  readonly id: number;
  readonly awaits: number;
  readonly bounds: Bounds;
  readonly entries: Entry[];
  bytes: number;
  references: number;
};

/** The maximum size of a message. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

const responses: Readonly<Record<number, number>> = {
  [operations.bindRequest]: operations.bindResponse,
  [operations.searchRequest]: operations.searchDone,
  [operations.extendedRequest]: operations.extendedResponse,
};

/**
 * The layer between the socket and the protocol library, which only encodes requests. Messages of the server are
 * delimited, limited and validated here; entries and results are kept for the connection. The library receives only a
 * locally encoded result, so no bytes of a server reach its parser.
 */
export class Link extends EventEmitter<{ data: [Buffer]; close: [] }> {
  // Properties that the library reads and writes on a socket.
  readonly connecting = false;
  readonly readyState = 'open';
  id: string | undefined;
  failure: DirectoryFailure | undefined;
  #socket: Socket;
  // The start of an incomplete message; the buffer grows by doubling.
  #kept = Buffer.alloc(0);
  #keptBytes = 0;
  #bounds: Bounds = { maxEntries: 0, maxBytes: MAX_MESSAGE_BYTES };
  #pending: Pending | undefined;
  #arrived: Arrived | undefined;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.fail(this.#lost(`Connection broken (${codeOf(error)})`, error)));
    socket.on('close', () => this.fail(this.#lost('The server closed the connection')));
    socket.on('end', () => this.fail(this.#lost('The server closed the connection')));
  }

  /** Called before an operation, with its limits. */
  begin(bounds: Bounds): void {
    this.#arrived = undefined;
    this.#bounds = bounds;
  }

  /** Called after an operation. @returns its response. */
  arrivedNow(): Arrived | undefined {
    const arrived = this.#arrived;
    this.#arrived = undefined;
    return arrived;
  }

  get isOpen(): boolean {
    return this.failure === undefined;
  }

  /** Closes the connection; pending requests are rejected with the failure. */
  fail(failure: DirectoryFailure): void {
    if (this.failure !== undefined) return;
    this.failure = failure;
    this.#socket.destroy();
    this.emit('close');
  }

  /** Called by the library for a request. */
  write(request: Buffer, done: () => void): boolean {
    const { id, operation } = readMessage(request);
    const awaits = responses[operation];
    this.#pending =
      awaits === undefined ? undefined : { id, awaits, bounds: this.#bounds, entries: [], bytes: 0, references: 0 };
    return this.#socket.write(request, done);
  }

  /** Called by the library for the end. */
  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.fail(new DirectoryFailure('unreachable', 'Closed'));
  }

  #lost(text: string, cause?: Error): DirectoryFailure {
    const lost = this.#pending?.bytes === 0 && this.#keptBytes === 0;
    return new DirectoryFailure('unreachable', text, { cause, lost });
  }

  #take(chunk: Buffer): void {
    if (this.failure !== undefined) return;
    try {
      const bytes = this.#join(chunk);
      let at = 0;
      for (let end = endOfMessage(bytes, at); end !== undefined && this.isOpen; end = endOfMessage(bytes, at)) {
        this.#hear(bytes.subarray(at, end));
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

  #hear(bytes: Buffer): void {
    const message = readMessage(bytes);
    const pending = this.#pending;
    if (message.id === 0) throw this.#farewell(message);
    if (pending === undefined || message.id !== pending.id) throw new Malformed('An answer to no question.');
    pending.bytes += bytes.length;
    if (pending.bytes > pending.bounds.maxBytes) {
      throw new DirectoryFailure('limit', 'The server sent more than an answer may hold');
    }
    if (message.operation === pending.awaits) this.#finish(message, pending);
    else if (pending.awaits !== operations.searchDone) throw new Malformed('An answer of another kind.');
    else this.#collect(message, pending);
  }

  #collect(message: Message, pending: Pending): void {
    if (message.operation === operations.searchReference) {
      pending.references += 1; // counted, never followed
      return;
    }
    if (message.operation !== operations.searchEntry) throw new Malformed('An answer of another kind.');
    if (pending.entries.length >= pending.bounds.maxEntries) {
      throw new DirectoryFailure('limit', 'The server sent more entries than were asked for');
    }
    pending.entries.push(readEntry(message));
  }

  #finish(message: Message, pending: Pending): void {
    const result = readResult(message);
    this.#pending = undefined;
    this.#arrived = { entries: pending.entries, references: pending.references, result };
    this.emit('data', ended(message, result.code === 0));
  }

  // Notice of disconnection (RFC 4511, 4.4.1), or an unsolicited message.
  #farewell(message: Message): DirectoryFailure {
    if (message.operation !== operations.extendedResponse) return new DirectoryFailure('protocol', 'An unasked answer');
    const { code, diagnostic } = readResult(message);
    const words = diagnostic === '' ? '' : `: ${diagnostic}`;
    return new DirectoryFailure('busy', `The server ends the connection (LDAP result ${code})${words}`, { code });
  }
}

function codeOf(error: Error & { code?: string }): string {
  return error.code ?? error.name;
}

/** The response that the library receives, encoded here: success or failure, without code and text. */
function ended({ id, operation }: Message, success: boolean): Buffer {
  const bytes = Buffer.from([0x30, 15, 2, 4, 0, 0, 0, 0, operation, 7, 10, 1, success ? 0 : 80, 4, 0, 4, 0]);
  bytes.writeUInt32BE(id, 4);
  return bytes;
}

// The end of the message that begins here; undefined while it is incomplete.
function endOfMessage(bytes: Buffer, at: number): number | undefined {
  if (at >= bytes.length) return undefined;
  if (bytes[at] !== tags.sequence) throw new Malformed('A message that is no sequence.');
  const head = readHead(bytes, at);
  if (head === undefined) return undefined;
  if (head.end - at > MAX_MESSAGE_BYTES)
    throw new DirectoryFailure('limit', 'The server sent a message that is too large');
  return head.end <= bytes.length ? head.end : undefined;
}
