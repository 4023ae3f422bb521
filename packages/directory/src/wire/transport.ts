import { connect, isIP, type Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { Malformed, readHead, tags } from './ber.ts';
import { onOver, type Deadline } from './deadline.ts';
import { DirectoryFailure } from './failures.ts';
import { operations, readMessage, readResult } from './messages.ts';
import { encodeStartTls } from './requests.ts';
import { serverText, type ServerAddress } from './servers.ts';

/** The properties of an encrypted connection, for display. */
export type Encryption = {
  readonly protocol: string;
  readonly subject: string;
  readonly issuer: string;
  readonly validTo: string;
};

/** A connection that is ready for LDAP, encrypted according to its address. */
export type Transport = {
  readonly socket: Socket;
  readonly encryption: Encryption | null;
};

const startTlsId = 1;
const maxStartTlsAnswer = 16 * 1024;

/** TLS options: the system's and the configured certificates, at least TLS 1.2. */
export function trust(caPem: string | null): SecureContext {
  const own = caPem === null || caPem.trim() === '' ? [] : [caPem];
  const ca = [...new Set([...getCACertificates('default'), ...getCACertificates('system')]), ...own];
  return createSecureContext({ ca, minVersion: 'TLSv1.2' });
}

/** Connects and encrypts before the first request; there is no fallback to clear text. */
export async function openTransport(
  server: ServerAddress,
  { trusted, deadline }: { trusted: () => SecureContext; deadline: Deadline },
): Promise<Transport> {
  const socket = await openSocket(server, deadline);
  if (server.security === 'plain') return { socket, encryption: null };
  if (server.security === 'start_tls') await requestStartTls(socket, deadline);
  const encrypted = await encrypt(socket, { server, context: trusted(), deadline });
  return { socket: encrypted, encryption: encryptionOf(encrypted) };
}

/** A plain connection. */
export async function openSocket(server: ServerAddress, deadline: Deadline): Promise<Socket> {
  const socket = connect({ host: server.host, port: server.port, noDelay: true, keepAlive: true });
  // An error listener for the time between the steps.
  socket.on('error', () => undefined);
  return await settled(socket, deadline, `connecting to ${serverText(server)}`, ({ on, resolve, reject }) => {
    on('connect', () => resolve(socket));
    on('error', (error: NodeJS.ErrnoException) =>
      reject(
        new DirectoryFailure('unreachable', `${serverText(server)} cannot be reached (${error.code ?? error.name})`, {
          cause: error,
        }),
      ),
    );
  });
}

/** Encrypts a connection: certificate, server name, validity and version are checked. */
export async function encrypt(
  socket: Socket,
  { server, context, deadline }: { server: ServerAddress; context: SecureContext; deadline: Deadline },
): Promise<TLSSocket> {
  const name = server.host.replace(/\.$/, '');
  const named = isIP(name) === 0 ? { servername: name } : {};
  const encrypted = connectTls({ socket, host: name, ...named, secureContext: context, rejectUnauthorized: true });
  encrypted.on('error', () => undefined);
  return await settled(
    encrypted,
    deadline,
    `the TLS handshake with ${serverText(server)}`,
    ({ on, resolve, reject }) => {
      const refuse = (error: NodeJS.ErrnoException) =>
        reject(new DirectoryFailure('tls_failed', `TLS failed (${error.code ?? error.message})`, { cause: error }));
      on('secureConnect', () => resolve(encrypted));
      on('error', refuse);
      on('close', () => refuse(new Error('closed during the handshake')));
    },
  );
}

/** Sends StartTLS; clear text after the response ends the connection. */
export async function requestStartTls(socket: Socket, deadline: Deadline): Promise<void> {
  const answer = await settled<Buffer>(socket, deadline, 'the answer to StartTLS', ({ on, resolve, reject }) => {
    let bytes = Buffer.alloc(0);
    on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      try {
        if (isWhole(bytes)) {
          socket.pause();
          resolve(bytes);
        }
      } catch (error) {
        reject(new DirectoryFailure('protocol', 'The answer to StartTLS is no LDAP', { cause: error }));
      }
    });
    const gone = () => reject(new DirectoryFailure('tls_failed', 'The server closed the connection upon StartTLS'));
    on('error', gone);
    on('close', gone);
    on('end', gone);
    socket.write(encodeStartTls(startTlsId));
  });
  const failure = startTlsFailure(answer) ?? (socket.readableLength > 0 ? residue() : undefined);
  if (failure === undefined) return;
  socket.destroy();
  throw failure;
}

function isWhole(bytes: Buffer): boolean {
  if (bytes.length > maxStartTlsAnswer) throw new Malformed('An answer that is too long.');
  if (bytes.length > 0 && bytes[0] !== tags.sequence) throw new Malformed('An answer that is no sequence.');
  const head = readHead(bytes, 0);
  if (head !== undefined && head.end > maxStartTlsAnswer) throw new Malformed('An answer that is too long.');
  return head !== undefined && bytes.length >= head.end;
}

function startTlsFailure(bytes: Buffer): DirectoryFailure | undefined {
  try {
    if (bytes.length > readHead(bytes, 0)!.end) return residue();
    const message = readMessage(bytes);
    if (message.operation !== operations.extendedResponse) throw new Malformed('Another kind of answer.');
    const { code, diagnostic } = readResult(message);
    if (code === 0 && message.id === startTlsId) return undefined;
    const words = diagnostic === '' ? '' : `: ${diagnostic}`;
    return new DirectoryFailure('tls_failed', `The server refuses StartTLS (LDAP result ${code})${words}`, { code });
  } catch (error) {
    return new DirectoryFailure('protocol', 'The answer to StartTLS is no LDAP', { cause: error });
  }
}

// An attacker may have injected clear text that would be processed after encryption (CVE-2011-0411 class).
function residue(): DirectoryFailure {
  return new DirectoryFailure(
    'tls_failed',
    'Clear text follows the answer to StartTLS: the connection may be intercepted',
  );
}

/** Runs a step on a socket: removes its listeners afterwards, and destroys the socket when the step fails. */
async function settled<T>(socket: Socket, deadline: Deadline, what: string, step: Settle<T>): Promise<T> {
  const undo: (() => void)[] = [];
  const on: On = (event, listener) => {
    socket.on(event, listener as () => void);
    undo.push(() => socket.off(event, listener as () => void));
  };
  try {
    return await new Promise<T>((resolve, reject) => {
      undo.push(onOver(deadline, reject, what));
      step({ on, resolve, reject });
    });
  } catch (error) {
    socket.on('error', () => undefined);
    socket.destroy();
    throw error;
  } finally {
    for (const one of undo) one();
  }
}

type On = <A>(event: string, listener: (argument: A) => void) => void;
type Settle<T> = (step: {
  readonly on: On;
  readonly resolve: (value: T) => void;
  readonly reject: (failure: DirectoryFailure) => void;
}) => void;

/** The properties of the TLS session, for display. */
export function encryptionOf(socket: TLSSocket): Encryption {
  const { subject, issuer, valid_to: validTo } = socket.getPeerCertificate();
  const text = (name: object | undefined) =>
    Object.entries(name ?? {})
      .map(([type, value]) => `${type}=${String(value)}`)
      .join(', ');
  return { protocol: socket.getProtocol() ?? '', subject: text(subject), issuer: text(issuer), validTo };
}
