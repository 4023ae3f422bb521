/** Tracks failed servers, so that the next request starts with a responsive one. */
export type Health<S> = {
  /** The servers in the order to try: the healthy ones as configured, then the others. */
  readonly order: () => S[];
  readonly isBad: (server: S) => boolean;
  readonly failed: (server: S) => void;
  readonly worked: (server: S) => void;
};

const firstPauseMs = 15_000;
const longestPauseMs = 300_000;

/** Every server counts as healthy until it fails, and again after its backoff. */
export function createHealth<S>(servers: readonly S[], now: () => number = () => performance.now()): Health<S> {
  const bad = new Map<S, { until: number; pause: number }>();
  const isBad = (server: S) => (bad.get(server)?.until ?? 0) > now();
  return {
    isBad,
    order: () => [...servers.filter((server) => !isBad(server)), ...servers.filter(isBad)],
    failed: (server) => {
      const pause = Math.min((bad.get(server)?.pause ?? firstPauseMs / 2) * 2, longestPauseMs);
      bad.set(server, { until: now() + pause, pause });
    },
    worked: (server) => {
      bad.delete(server);
    },
  };
}
