import { connect } from 'node:net';
import { runChecks, type Checks } from '@overtone/service-kit';

export type Health = 'healthy' | 'degraded';
const keepMs = 2_000;
const connectMs = 1_000;

/** Whether everything behind the edge answers; asked at most every two seconds however many ask us. */
export function createHealth(services: readonly URL[], checks: Checks) {
  let last: { at: number; health: Promise<Health> } | undefined;
  const look = async (): Promise<Health> => {
    const [own, others] = await Promise.all([runChecks(checks), Promise.all(services.map(reachable))]);
    const good = Object.values(own.results).every((result) => result === 'ok') && others.every(Boolean);
    return good ? 'healthy' : 'degraded';
  };
  return (): Promise<Health> => {
    if (!last || Date.now() - last.at > keepMs) last = { at: Date.now(), health: look() };
    return last.health;
  };
}

function reachable(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname, port: Number(url.port || 80), timeout: connectMs });
    const end = (ok: boolean) => {
      socket.destroy();
      resolve(ok);
    };
    socket.once('connect', () => end(true));
    socket.on('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
