import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { checkHeaderSizes, mayBeLong, toProblem } from '@overtone/service-kit';
import type { RequestContext } from './request-context.ts';
import { parserRefusals, rawResponse, refusals, sendLast } from '../refusals/refusals.ts';

type ParseError = Error & { code?: string };

const refused = new WeakSet<Duplex>();
const responses = new WeakMap<Duplex, Set<ServerResponse>>();

/** Remembers the responses that are in progress on a connection. */
export function trackResponse(socket: Duplex, res: ServerResponse): void {
  const open = responses.get(socket) ?? new Set();
  responses.set(socket, open.add(res));
  res.once('close', () => open.delete(res));
}

/** Refuses what is no HTTP request, with a problem document like every other refusal. */
export function refuseMalformed(error: ParseError, socket: Duplex): void {
  // The parser reports every further chunk of a connection that it has given up; it is read until the socket closes.
  if (refused.has(socket)) return;
  refused.add(socket);
  const hasBegun = [...(responses.get(socket) ?? [])].some((res) => res.headersSent);
  // A second status line within a response that has begun would be taken for a part of its body.
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) return void socket.destroy();
  const [line, status, refusal] = parserRefusals[error.code ?? ''] ?? [
    '400 Bad Request',
    400,
    refusals.notHttp('This is no HTTP request'),
  ];
  const problem = { ...toProblem(refusal, randomUUID()), status, title: line.slice(4) };
  sendLast(socket, rawResponse(line, problem));
}

const versions = new Set(['1.0', '1.1']);

/**
 * Refuses what Node's parser lets through although HTTP/1.1 does not (RFC 9112, 2.3 and 3.2): other protocol versions,
 * and a Host header that is missing or given twice; and header fields that are too long. The names of those with which a
 * trusted proxy signs people in are settings.
 * @throws AppError invalid or too_large
 */
export function checkRequest({ req, client }: Pick<RequestContext, 'client' | 'req'>): void {
  if (!versions.has(req.httpVersion)) throw refusals.wrongVersion();
  let hosts = 0;
  for (let i = 0; i < req.rawHeaders.length; i += 2)
    if ((req.rawHeaders[i] as string).toLowerCase() === 'host') hosts += 1;
  if (hosts > 1 || (hosts === 0 && req.httpVersion === '1.1')) throw refusals.wrongHost();
  checkHeaderSizes(req.rawHeaders, (name) => mayBeLong(name) || (client.isProxied && name.startsWith('x-')));
}
