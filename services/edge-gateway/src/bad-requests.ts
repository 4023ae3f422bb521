import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, invalid, toProblem } from '@overtone/service-kit';
import { rawAnswer, sendLast } from './last-answer.ts';

type ParseError = Error & { code?: string };

const answers: Record<string, [line: string, status: number, detail: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 431, 'The address or the headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 408, 'The request came too slowly'],
  HPE_INVALID_EOF_STATE: ['400 Bad Request', 400, 'The request was cut off'],
};
const answered = new WeakSet<Duplex>();
const responses = new WeakMap<Duplex, Set<ServerResponse>>();

/** Remembers the responses that are in progress on a connection. */
export function trackResponse(socket: Duplex, res: ServerResponse): void {
  const open = responses.get(socket) ?? new Set();
  responses.set(socket, open.add(res));
  res.once('close', () => open.delete(res));
}

/** Answers what is no HTTP request at all, in the same words as every other failure. */
export function answerBadRequest(error: ParseError, socket: Duplex): void {
  // The parser reports every further chunk of a connection that it has given up; it is read until the socket closes.
  if (answered.has(socket)) return;
  answered.add(socket);
  const hasBegun = [...(responses.get(socket) ?? [])].some((res) => res.headersSent);
  // A second status line within an answer that has begun would be taken for a part of its body.
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) return void socket.destroy();
  const [line, status, detail] = answers[error.code ?? ''] ?? ['400 Bad Request', 400, 'This is no HTTP request'];
  const problem = { ...toProblem(invalid('invalid_request', detail), randomUUID()), status, title: line.slice(4) };
  sendLast(socket, rawAnswer(line, problem));
}

const versions = new Set(['1.0', '1.1']);

/**
 * Refuses what Node's parser lets through although HTTP/1.1 does not (RFC 9112, 2.3 and 3.2): other protocol versions,
 * and a Host header that is missing or given twice.
 * @throws AppError invalid
 */
export function checkRequest(req: IncomingMessage): void {
  if (!versions.has(req.httpVersion)) throw invalid('invalid_request', 'The protocol version must be HTTP/1.1');
  let hosts = 0;
  for (let i = 0; i < req.rawHeaders.length; i += 2)
    if ((req.rawHeaders[i] as string).toLowerCase() === 'host') hosts += 1;
  if (hosts > 1 || (hosts === 0 && req.httpVersion === '1.1'))
    throw invalid('invalid_request', 'The request must have one Host header');
}

/** An Expect header that asks for anything but 100-continue (RFC 9110, 10.1.1). */
export function unsupportedExpectation(): AppError {
  return new AppError('invalid', 'expectation_failed', 'The expectation is not supported');
}
