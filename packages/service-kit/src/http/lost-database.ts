/** Errors of PostgreSQL clients for a server that is unreachable, starting, stopping, or rejects all connections. */
const codes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', '53300']);
const kinds = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'TooManyConnections', 'SocketTimeout']);
const states = /^(08|57P)/;
const words =
  /^Connection terminated|^timeout exceeded when trying to connect|^Client has encountered a connection error/;

type Thrown = {
  code?: unknown;
  message?: unknown;
  cause?: unknown;
  meta?: { driverAdapterError?: { cause?: unknown } };
};

type Reported = { kind?: unknown; originalCode?: unknown };

/** Whether something was thrown because the database cannot be asked, as opposed to having refused. */
export function isLostDatabase(thrown: unknown, depth = 3): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  const error = thrown as Thrown;
  const reported = (error.meta?.driverAdapterError?.cause ?? {}) as Reported;
  return itself(error, reported) || (depth > 0 && isLostDatabase(error.cause, depth - 1));
}

/** No such table, database or role: what a new, empty database says to a service that was ready with another one. */
const replacedCodes = new Set(['42P01', '3D000', '28P01', '28000', 'P1000', 'P1003', 'P1010', 'P2021']);
const replacedKinds = new Set([
  'TableDoesNotExist',
  'DatabaseDoesNotExist',
  'AuthenticationFailed',
  'DatabaseAccessDenied',
]);

/** Whether the database is not the one of this installation. A service does not start with such a one. */
export function isReplacedDatabase(thrown: unknown, depth = 3): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  const { code, cause, meta } = thrown as Thrown;
  const { kind, originalCode } = (meta?.driverAdapterError?.cause ?? {}) as Reported;
  const isIt = [code, originalCode].some((one) => replacedCodes.has(String(one))) || replacedKinds.has(String(kind));
  return isIt || (depth > 0 && isReplacedDatabase(cause, depth - 1));
}

/** SQLSTATE 53100, or the text of the system error, which the server and Node report alike. */
const diskFull = /\b53100\b|No space left on device/i;

/** Whether a write failed because a disk is full: the disk of the database, or that of this process (ENOSPC). */
export function isFullStorage(thrown: unknown, depth = 3): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  const { code, message, cause, meta } = thrown as Thrown;
  const { originalCode } = (meta?.driverAdapterError?.cause ?? {}) as Reported;
  const reported = [code, originalCode, message].some((text) => typeof text === 'string' && diskFull.test(text));
  return reported || (depth > 0 && isFullStorage(cause, depth - 1));
}

function itself({ code, message }: Thrown, { kind, originalCode }: Reported): boolean {
  return (
    isState(code) ||
    isState(originalCode) ||
    (typeof kind === 'string' && kinds.has(kind)) ||
    (typeof message === 'string' && words.test(message))
  );
}

function isState(code: unknown): boolean {
  return typeof code === 'string' && (codes.has(code) || states.test(code));
}
