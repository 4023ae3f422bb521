/**
 * Settings of a session by which the server ends it when its client vanished: the client's locks would block other replicas. The
 * keep-alive messages find a machine that failed; a proxy answers them for it, and then only a limit of idle time helps.
 * @param idleLimit in ms
 * @returns what a query selects to set them: a connection pooler refuses them in the first message of a connection
 */
export function sessionSettings(
  idleLimit: { idle_in_transaction_session_timeout: number } | { idle_session_timeout: number },
): string {
  const settings = { tcp_keepalives_idle: 30, tcp_keepalives_interval: 10, tcp_keepalives_count: 3, ...idleLimit };
  return Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', false)`)
    .join(', ');
}
