import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { z } from 'zod';
import { readableBy } from '../env.ts';
import { invalid, isAppError, type AppError } from '../errors.ts';
import { isRefusedAddress, parseRanges, type AddressRange } from './address-ranges.ts';

export { isRefusedAddress, parseRanges } from './address-ranges.ts';

/** The variable of every service that follows addresses which users enter. */
export const outboundEnv = {
  /** Ranges of private addresses that may be contacted, separated by commas: 10.20.0.0/16, fd00:1::/64. */
  OT_OUTBOUND_ALLOWED_RANGES: z
    .string()
    .refine(readableBy(parseRanges))
    .describe('address ranges such as 10.20.0.0/16, separated by commas')
    .default(''),
};

/** All addresses of a host name. */
export type ResolveHost = (hostname: string) => Promise<{ address: string; family: number }[]>;
/** An address of a host that was checked and may be connected to. */
type CheckedAddress = { address: string; family: 4 | 6 };
type OutboundOptions = {
  allowedRanges?: readonly AddressRange[];
  /** For tests; the system's resolver otherwise. */
  resolve?: ResolveHost;
};

const maxUrlLength = 2_048;
const connectTimeoutMs = 10_000;
const resolveWithinMs = 3_000;
/** After parsing: internationalised names are in ASCII. Lengths: RFC 1035, 2.3.4. */
const hostPattern = /^(?=.{1,254}$)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?$/;

/**
 * Ports above 1023 of services that interpret lines of text, so that a request could carry commands for them: databases,
 * caches, mail, chat and remote shells.
 */
const refusedPorts = new Set([
  1080, 1433, 1521, 1719, 1720, 1723, 2049, 2375, 2379, 3128, 3306, 3389, 3659, 4045, 4190, 4222, 5060, 5061, 5432,
  5672, 5900, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9092, 9200, 9300, 10080, 10250,
  11211, 27017,
]);

/**
 * The guard of all requests to addresses that users enter. The URL is checked first (`checkUrl`), and every address again at
 * the moment of the connection: the host name is resolved once, and the connection goes to that result.
 */
export function createOutboundGuard({ allowedRanges = [], resolve = resolveAll }: OutboundOptions = {}) {
  const checkedAddress = async (host: string): Promise<CheckedAddress> => {
    const hostname = host.replace(/^\[|\]$/g, '');
    const addresses = isIP(hostname) ? [{ address: hostname, family: isIP(hostname) }] : await resolveHost(hostname);
    // One refused address refuses the host: otherwise its owner could choose which of them is used.
    if (addresses.some(({ address }) => isRefusedAddress(address, allowedRanges))) throw outboundErrors.address();
    const first = addresses.find(({ family }) => family === 4) ?? addresses[0];
    if (!first) throw outboundErrors.unknownHost();
    return { address: first.address, family: first.family === 6 ? 6 : 4 };
  };
  const resolveHost = async (hostname: string) => {
    try {
      return await resolve(hostname);
    } catch (cause) {
      throw outboundErrors.unknownHost(cause);
    }
  };

  return {
    /** The parsed URL, without its fragment. @throws AppError `url_invalid` or `url_refused`. Sends nothing. */
    checkUrl: (text: string): URL => checkUrl(text, allowedRanges),
    /** The only address that may be connected to for a host. @throws AppError `url_refused` or `host_unreachable`. */
    checkedAddress,
    /** A dispatcher for undici whose connections go to checked addresses only. To be closed by the caller. */
    createDispatcher: (options: Agent.Options = {}): Dispatcher => {
      const connector = buildConnector({ timeout: connectTimeoutMs });
      return new Agent({
        ...options,
        connect: (target, callback) => {
          checkedAddress(target.hostname).then(
            ({ address }) =>
              connector(
                { ...target, hostname: address, host: target.host ?? target.hostname, servername: nameOf(target) },
                callback,
              ),
            (error: unknown) => callback(error as Error, null),
          );
        },
      });
    },
  };
}

export type OutboundGuard = ReturnType<typeof createOutboundGuard>;

/**
 * Refuses a name that is known to resolve to a refused address, before anything is stored. A service without a way out cannot
 * resolve every name: those are left to the service that connects, which checks every address.
 * @throws AppError url_refused.
 */
export async function refuseKnownAddress(guard: OutboundGuard, { hostname }: URL): Promise<void> {
  const resolved = guard.checkedAddress(hostname).then(
    () => undefined,
    (error: unknown) => (isAppError(error) && error.code === 'host_unreachable' ? undefined : error),
  );
  const refusal = await Promise.race([resolved, sleep(resolveWithinMs, undefined, { ref: false })]);
  if (refusal !== undefined) throw refusal;
}

const outboundErrors = {
  invalidUrl: (message: string, cause?: unknown): AppError => invalid('url_invalid', message, { cause }),
  scheme: (): AppError => invalid('url_refused', 'Only addresses that begin with http:// or https:// can be used.'),
  credentials: (): AppError => invalid('url_refused', 'The address must not contain a user name or a password.'),
  port: (): AppError => invalid('url_refused', 'This port cannot be used.'),
  address: (): AppError =>
    invalid(
      'url_refused',
      'This address is inside a private network, so Overtone won’t fetch it. Where Overtone is started, OT_OUTBOUND_ALLOWED_RANGES can allow it.',
    ),
  unknownHost: (cause?: unknown): AppError =>
    // Only the answer that the name does not exist is final; a resolver that does not respond is asked again.
    invalid('host_unreachable', 'There is no server with this name.', {
      cause,
      permanent: (cause as { code?: string } | undefined)?.code === 'ENOTFOUND',
    }),
};

/** The guard's refusal among the causes of a failed request. */
export function refusalOf(error: unknown): AppError | undefined {
  for (let current = error; current instanceof Error; current = current.cause) if (isAppError(current)) return current;
  return undefined;
}

function checkUrl(text: string, allowedRanges: readonly AddressRange[]): URL {
  const trimmed = text.trim();
  if (trimmed.length > maxUrlLength) throw outboundErrors.invalidUrl('The address is too long.');
  // URL parsers remove these silently, and differ in how.
  if (/[\p{Cc}\s\\]/u.test(trimmed))
    throw outboundErrors.invalidUrl('The address contains spaces, line breaks or backslashes.');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') throw outboundErrors.scheme();
  if (!/^https?:\/\/[^/]/i.test(trimmed))
    throw outboundErrors.invalidUrl('This is not a complete address. Begin it with https://.');
  const url = parseUrl(trimmed);
  // Also an empty user name ("http://@host"), which the parser drops.
  if (url.username !== '' || url.password !== '' || /^[^/?#]*@/.test(trimmed.replace(/^https?:\/\//i, '')))
    throw outboundErrors.credentials();
  if (isRefusedPort(url.port)) throw outboundErrors.port();
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(hostname)) {
    if (isRefusedAddress(hostname, allowedRanges)) throw outboundErrors.address();
  } else if (isLocalName(hostname)) {
    if (isRefusedAddress('127.0.0.1', allowedRanges)) throw outboundErrors.address();
  } else if (!hostPattern.test(hostname)) throw outboundErrors.invalidUrl('The address contains no valid server name.');
  url.hash = '';
  return url;
}

/** These names lead to this machine, whatever a resolver says (RFC 6761, 6.3). */
function isLocalName(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch (cause) {
    throw outboundErrors.invalidUrl('This is not an address that can be opened.', cause);
  }
}

/** The default port of a scheme is empty. */
function isRefusedPort(port: string): boolean {
  if (port === '') return false;
  const number = Number(port);
  return (number < 1024 && number !== 80 && number !== 443) || refusedPorts.has(number);
}

/** TLS verifies the certificate against the name in the URL; an IP literal has no server name (RFC 6066, 3). */
function nameOf({ hostname, servername }: { hostname: string; servername?: string | undefined }): string {
  return servername || (isIP(hostname.replace(/^\[|\]$/g, '')) ? '' : hostname);
}

function resolveAll(hostname: string) {
  return lookup(hostname, { all: true, verbatim: true });
}
