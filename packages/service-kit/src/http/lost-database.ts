/** What clients of PostgreSQL say of a server that is not there, is just starting or ending, or lets nobody in. */
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

const isState = (code: unknown): boolean => typeof code === 'string' && (codes.has(code) || states.test(code));

const itself = ({ code, message }: Thrown, { kind, originalCode }: Reported): boolean =>
  isState(code) ||
  isState(originalCode) ||
  (typeof kind === 'string' && kinds.has(kind)) ||
  (typeof message === 'string' && words.test(message));

/** Whether something was thrown because the database cannot be asked, as opposed to having refused. */
export const isLostDatabase = (thrown: unknown, depth = 3): boolean => {
  if (typeof thrown !== 'object' || thrown === null) return false;
  const error = thrown as Thrown;
  const reported = (error.meta?.driverAdapterError?.cause ?? {}) as Reported;
  return itself(error, reported) || (depth > 0 && isLostDatabase(error.cause, depth - 1));
};
