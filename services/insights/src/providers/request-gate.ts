/** Requests of one file at once, of all purposes and replicas (specification, "Limits"). */
export const maxRequestsPerFile = 6;
/** Consecutive failures after which a provider is paused. */
export const failuresBeforePause = 5;
const firstPauseSeconds = 30;
const longestPauseSeconds = 300;

export type GateState = {
  failures: number;
  maxParallel: number;
  pausedUntil: Date | null;
  pauseCode: string | null;
  now: Date;
  /** Requests in progress of the provider, and of the file. */
  providerRequests: number;
  fileRequests: number;
};
export type GateDecision =
  | { kind: 'granted'; /** The only request after a pause: others wait for its result. */ isProbe: boolean }
  | { kind: 'busy' }
  /** The provider asked for it; the request is sent afterwards. */
  | { kind: 'rate-limited'; seconds: number }
  /** The provider has failed several times; the request is refused. */
  | { kind: 'paused'; seconds: number };

/** Whether a request may be sent now. */
export function decideRequest(state: GateState): GateDecision {
  const { pausedUntil, pauseCode, now, failures } = state;
  const seconds = pausedUntil === null ? 0 : (pausedUntil.getTime() - now.getTime()) / 1_000;
  if (seconds > 0)
    return pauseCode === 'provider_rate_limited' ? { kind: 'rate-limited', seconds } : { kind: 'paused', seconds };
  if (state.fileRequests >= maxRequestsPerFile || state.providerRequests >= state.maxParallel) return { kind: 'busy' };
  return { kind: 'granted', isProbe: failures >= failuresBeforePause };
}

/** How long a provider is paused after this number of consecutive failures; 0: not. */
export function pauseSecondsAfter(failures: number): number {
  if (failures < failuresBeforePause) return 0;
  return Math.min(longestPauseSeconds, firstPauseSeconds * 2 ** (failures - failuresBeforePause));
}
