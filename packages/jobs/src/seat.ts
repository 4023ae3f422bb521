import { once } from './once.ts';
import type { Place, Places } from './places.ts';

/** A job that waits for another server was claimed while the worker had its most such jobs; it returns to its queue. */
export class JobPostponed extends Error {}

/**
 * What a running job counts as. A local one has one of the queue's places. A remote one only waits for another server: it
 * leaves its place to the next job, and is counted among the remote jobs of the worker.
 */
export type Seat = {
  /** @returns false while there are as many remote jobs as allowed; the job keeps its place then. */
  becomeRemote: () => boolean;
  /** Resolves when the job has a place again; it gets the next one that becomes free. */
  becomeLocal: (signal: AbortSignal) => Promise<void>;
};
export type TakenSeat = Seat & {
  isRemote: () => boolean;
  onChange: (notify: () => void) => void;
  /** Resolves when the job has become remote for the first time: its place may be used again. */
  vacated: Promise<void>;
  leave: () => void;
};

/** The remote jobs of a worker. */
export type RemoteRoom = { isFull: () => boolean; enter: () => (() => void) | undefined };

/** @param limit read at every use, because administrators change it while the worker runs. */
export function createRemoteRoom(limit: () => number): RemoteRoom {
  let taken = 0;
  const isFull = (): boolean => taken >= limit();
  return {
    isFull,
    enter: () => {
      if (isFull()) return undefined;
      taken += 1;
      return once(() => (taken -= 1));
    },
  };
}

/** Takes a place for a job. @returns undefined when there is no room. */
export function takeSeat(place: Place, places: Pick<Places, 'reenter'>, remote: RemoteRoom): TakenSeat | undefined {
  let leave = place.enter();
  if (!leave) return undefined;
  let isRemote = false;
  let notify = (): void => {};
  const vacated = Promise.withResolvers<void>();
  const change = (to: { isRemote: boolean; leave: () => void }): void => {
    leave?.();
    ({ isRemote, leave } = to);
    notify();
  };
  return {
    isRemote: () => isRemote,
    onChange: (listener) => (notify = listener),
    vacated: vacated.promise,
    becomeRemote: () => {
      if (isRemote) return true;
      const leaveRoom = remote.enter();
      if (!leaveRoom) return false;
      change({ isRemote: true, leave: leaveRoom });
      vacated.resolve();
      return true;
    },
    becomeLocal: async (signal) => {
      if (!isRemote) return;
      const leavePlace = await places.reenter(place.queue, signal);
      change({ isRemote: false, leave: leavePlace });
    },
    leave: () => leave?.(),
  };
}
