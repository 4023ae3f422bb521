import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ResolvedSession } from '@overtone/contracts';
import {
  AppError,
  forbidden,
  invalid,
  notFound,
  rateLimited,
  tooLarge,
  unauthenticated,
  unavailable,
  toProblem,
  type ErrorOptions,
} from '@overtone/service-kit';

/**
 * Every refusal of the edge, in the order of the steps of a request (`requests/requests.ts`). The status follows from kind
 * and code: `kindStatus` and `codeStatus` in `contracts/src/errors.ts`. After the edge, `service-kit/src/http/route.ts`
 * refuses invalid input, `service-kit/src/http/problem.ts` a lost database, and the `*.service.ts` of a slice the rest.
 */
export const refusals = {
  tooManyConnections: () =>
    rateLimited('rate_limited', 'Too many connections from this address', { retryAfterSeconds: 5 }),

  /** What Node's parser refuses, see `parserRefusals`. */
  notHttp: (detail: string) => invalid('invalid_request', detail),
  headTooLarge: () => tooLarge('header_too_large', 'The address or the headers are too long'),
  wrongVersion: () => invalid('invalid_request', 'The protocol version must be HTTP/1.1'),
  wrongHost: () => invalid('invalid_request', 'The request must have one Host header'),
  wrongExpectation: () => new AppError('invalid', 'expectation_failed', 'The expectation is not supported'),
  wrongPath: () => invalid('invalid_request', 'The path is not valid'),

  unknownRoute: () => notFound('There is no such address in this API'),
  wrongMethod: (allow: string) =>
    new AppError('invalid', 'method_not_allowed', `Allowed here: ${allow}`, { extra: { allow } }),

  crossSite: () => forbidden('cross_site_request', 'Requests from other sites are refused here'),
  tooManyRequests: (retryAfterSeconds: number) =>
    rateLimited('rate_limited', 'Too many requests. Please try again later.', { retryAfterSeconds }),
  identityUnavailable: (what: string, options: ErrorOptions) =>
    unavailable('service_unavailable', `${what} at the moment`, options),
  csrf: () => forbidden('csrf_failed', 'CSRF token missing or invalid'),
  notSignedIn: () => unauthenticated('not_authenticated', 'Please sign in'),
  accountState: (state: NonNullable<ResolvedSession['refusal']>) => forbidden(state, accountStates[state]),
  role: (role: string) => forbidden('role_required', `This needs the role ${role}`),

  noService: () => notFound(),
  bodyTooLarge: (maxBytes: number) =>
    tooLarge('upload_too_large', `At most ${maxBytes} bytes are accepted`, { extra: { max_bytes: maxBytes } }),
  bodyTooSlow: () => invalid('request_aborted', 'The body came too slowly'),
  bodyCutOff: () => invalid('request_aborted', 'The request was cut off'),
  serviceUnavailable: (service: string, cause: unknown) =>
    unavailable(
      'service_unavailable',
      'This part of Overtone does not answer at the moment. Please try again shortly.',
      { cause, detail: service, retryAfterSeconds: 3 },
    ),
  serviceUnresponsive: (service: string) =>
    unavailable(
      'service_unresponsive',
      'This part of Overtone does not respond at the moment. Please try again shortly.',
      { detail: service, retryAfterSeconds: 10 },
    ),
  sessionEnded: () => unauthenticated('not_authenticated', 'The session has ended. Please sign in.'),
  /** Identity does not respond: the request ends, but not as signed out. */
  sessionUnknown: () =>
    unavailable('service_unavailable', 'Sessions cannot be checked at the moment', { retryAfterSeconds: 3 }),

  restarting: () =>
    unavailable('service_unavailable', 'The gateway is restarting. Connect again in a moment.', {
      retryAfterSeconds: 3,
    }),
  pushUnavailable: () =>
    unavailable('service_unavailable', 'The push channel does not answer at the moment', { retryAfterSeconds: 3 }),
};

/** What Node's HTTP parser refuses, by its error code; all others are "no HTTP request". */
export const parserRefusals: Record<string, [line: string, status: number, refusal: AppError]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 431, refusals.headTooLarge()],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 408, refusals.notHttp('The request came too slowly')],
  HPE_INVALID_EOF_STATE: ['400 Bad Request', 400, refusals.notHttp('The request was cut off')],
};

const accountStates: Record<NonNullable<ResolvedSession['refusal']>, string> = {
  account_pending_approval: 'This account waits for approval',
  account_rejected: 'This account was not approved',
  account_disabled: 'This account is disabled',
  password_change_required: 'The password has to be changed first',
  account_expired: 'This account has expired',
};

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
