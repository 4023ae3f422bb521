import { generalizedTime } from './account-state.ts';

/** The clock for the evaluation of expiry dates. */
export type Clock = {
  readonly now: Date;
  /** The clock is verified until this time; null: not verified. A later expiry date is doubtful. */
  readonly vouched: Date | null;
};

/** The earlier of the local clock and the server's clock, so that an account expires only when both agree. */
export function agreed(clock: Clock, serverTime: string | undefined): Clock {
  const server = serverTime === undefined ? Number.POSITIVE_INFINITY : generalizedTime(serverTime);
  return server < clock.now.getTime() ? { ...clock, now: new Date(server) } : clock;
}

/** The local clock, not verified. */
export function ownClock(): Clock {
  return { now: new Date(), vouched: null };
}

/** The clock as text, for the proof of a pass. */
export function clockText({ now, vouched }: Clock): string {
  return `${now.toISOString()}${vouched === null ? '' : `, vouched for until ${vouched.toISOString()}`}`;
}
