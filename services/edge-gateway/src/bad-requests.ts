import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { invalid, toProblem } from '@overtone/service-kit';

type ParseError = Error & { code?: string };

const answers: Record<string, [line: string, status: number, detail: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 431, 'The address or the headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 408, 'The request came too slowly'],
};

/** Answers what is no HTTP request at all, in the same words as every other failure. */
export const answerBadRequest = (error: ParseError, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [line, status, detail] = answers[error.code ?? ''] ?? ['400 Bad Request', 400, 'This is no HTTP request'];
  const title = line.slice(4);
  const problem = { ...toProblem(invalid('invalid_request', detail), randomUUID()), status, title };
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${line}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};
