import type { Flow } from '../context.ts';
import type { Log } from '../log.ts';

export type Access = { flow: Flow; method: string; status: number; seconds: number; clientIp: string };

/** One line per request; with LOG_FORMAT=json exactly the specification's fields ("Structured access log"). */
export const accessLog = (log: Log, { flow, method, status, seconds, clientIp }: Access): void => {
  log.info(
    {
      user_id: flow.userId,
      org_id: null,
      request_id: flow.requestId,
      route: flow.route,
      method,
      status,
      duration_ms: Math.round(seconds * 1e6) / 1e3,
      db_query_count: flow.dbQueries,
      client_ip: clientIp,
    },
    'request',
  );
};
