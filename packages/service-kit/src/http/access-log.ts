import type { Flow } from '../context.ts';
import type { ServiceEnv } from '../env.ts';
import { standardOutput, traceFields, type Log } from '../log.ts';

export type Access = { flow: Flow; method: string; status: number; seconds: number; clientIp: string };
export type AccessLog = (access: Access) => void;

/**
 * One line per request. LOG_FORMAT=json: one JSON object with the specification's fields ("Structured access log"), and
 * time, level, service and trace id as every other line; otherwise a readable line at level info.
 */
export function createAccessLog(
  log: Log,
  format: ServiceEnv['LOG_FORMAT'],
  write: (line: string) => void = standardOutput.write,
): AccessLog {
  if (format === 'json') {
    const { service } = log.bindings();
    return (access) => {
      const head = { level: 'info', time: new Date().toISOString(), service, ...traceFields() };
      write(`${JSON.stringify({ ...head, ...fields(access) })}\n`);
    };
  }
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
