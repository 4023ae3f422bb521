import type { Flow } from '../context.ts';
import type { ServiceEnv } from '../env.ts';
import { standardOutput, type Log } from '../log.ts';

export type Access = { flow: Flow; method: string; status: number; seconds: number; clientIp: string };
export type AccessLog = (access: Access) => void;

/**
 * One line per request. LOG_FORMAT=json: one JSON object with exactly the specification's fields ("Structured access
 * log"), nothing of the logger's own added; otherwise a readable line at level info.
 */
export function createAccessLog(
  log: Log,
  format: ServiceEnv['LOG_FORMAT'],
  write: (line: string) => void = standardOutput.write,
): AccessLog {
  if (format === 'json') return (access) => write(`${JSON.stringify(fields(access))}\n`);
  return (access) => {
    const { route, method, status, duration_ms, user_id, request_id } = fields(access);
    log.info({ status, duration_ms, user_id, request_id }, `${method} ${route}`);
  };
}

function fields({ flow, method, status, seconds, clientIp }: Access) {
  return {
    user_id: flow.userId,
    org_id: null,
    request_id: flow.requestId,
    route: flow.route,
    method,
    status,
    duration_ms: Math.round(seconds * 1e6) / 1e3,
    db_query_count: flow.dbQueries,
    client_ip: clientIp,
  };
}
