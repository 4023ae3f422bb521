import type { Duplex } from 'node:stream';

const lingerMs = 1_000;

/** An answer as bytes, for a connection on which Node has no response object. */
export function rawAnswer(line: string, problem: object): string {
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${line}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Sends the last bytes of a connection. The client gets a moment to read them and to close; then the socket is destroyed. */
export function sendLast(socket: Duplex, bytes: string): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(bytes);
  // Unread bytes would make the system reset the connection before the client has read the answer.
  socket.resume();
}
