import { generalizedTime } from './account-state.ts';

/** What is known of the time when end dates are weighed. */
export interface Clock {
  readonly now: Date;
  /** Until then the clock is known to be right; null: nothing is known of it. An end date after that is in doubt. */
  readonly vouched: Date | null;
}

/** The earlier of our clock and the server's own, where it tells: what has ended by the one and not by the other has not. */
export function agreed(clock: Clock, serverTime: string | undefined): Clock {
  const server = serverTime === undefined ? Number.POSITIVE_INFINITY : generalizedTime(serverTime);
  return server < clock.now.getTime() ? { ...clock, now: new Date(server) } : clock;
}

/** Our own clock, of which nothing is known. */
export const ownClock = (): Clock => ({ now: new Date(), vouched: null });

/** A clock in words, for the proof of a pass. */
export const clockText = ({ now, vouched }: Clock): string =>
  `${now.toISOString()}${vouched === null ? '' : `, vouched for until ${vouched.toISOString()}`}`;
