import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { toProblem } from '@overtone/service-kit';

const lingerMs = 1_000;

/** Refuses a WebSocket. @returns the status. */
export function refuseUpgrade(socket: Duplex, thrown: unknown, requestId: string): number {
  const problem = toProblem(thrown, requestId);
  sendLast(socket, rawResponse(`${problem.status} ${STATUS_CODES[problem.status] ?? ''}`, problem));
  return problem.status;
}

/** A response as bytes, for a connection on which Node has no response object. */
export function rawResponse(line: string, problem: object): string {
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
  // Unread bytes would make the system reset the connection before the client has read the response.
  socket.resume();
}
