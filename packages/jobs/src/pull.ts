import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@overtone/service-kit';
import type { JsMsg } from 'nats';
import type { Place } from './places.ts';
import type { TakenSeat } from './seat.ts';

/** A pull that waits for a job. */
export type OpenPull = { isWanted: () => boolean; stop: () => void };
type Pulling = {
  bus: Bus;
  durable: string;
  able: (durable: string) => boolean;
  place: Place;
  signal: AbortSignal;
  /** Contains this loop's pull while it waits, so that it can be ended. */
  open: Set<OpenPull>;
  /** @returns for how many milliseconds nothing should be pulled here. */
  take: (msg: JsMsg, durable: string, taken: { place: Place; seat: TakenSeat }) => Promise<number>;
  takeSeat: (place: Place) => TakenSeat | undefined;
  /** Registers a job that continues while its place is used again. */
  settle: (job: Promise<unknown>) => void;
};

/** How long a pull waits for a job: a short time costs processor time in an idle instance. */
const pullMs = 30_000;
const ableMs = 1_000;
const roomMs = 50;

/**
 * One loop of a worker: one message at a time from one durable, while there is room for it. A job that has become remote
 * continues beside the next one. Ends with its place.
 */
export async function pull({
  bus,
  durable,
  able,
  place,
  signal,
  open,
  take,
  takeSeat,
  settle,
}: Pulling): Promise<void> {
  const rest = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  const takeIn = async (msg: JsMsg): Promise<number> => {
    const seat = takeSeat(place);
    // A job of another durable of this queue took the slot; the message returns to the queue.
    if (!seat) {
      msg.nak();
      return 0;
    }
    const ended = take(msg, durable, { place, seat }).finally(seat.leave);
    settle(ended.catch(() => {}));
    return Promise.race([ended, seat.vacated.then(() => 0)]);
  };
  while (!signal.aborted && place.exists()) {
    try {
      const handle = await bus.jetstream().consumers.get('JOBS', durable);
      // Looked up again after a pull without a job: one on a consumer that was lost waits in vain.
      let isFound = true;
      while (isFound && !signal.aborted && place.exists()) {
        if (!able(durable)) await rest(ableMs);
        else if (!place.free()) await rest(roomMs);
        else {
          // Batch size 1: a worker never holds jobs that another one could be doing.
          const batch = await handle.fetch({ max_messages: 1, expires: pullMs });
          const stop = () => batch.stop();
          const openPull = { isWanted: () => able(durable) && place.exists(), stop };
          open.add(openPull);
          signal.addEventListener('abort', stop, { once: true });
          let pauseMs = 0;
          isFound = false;
          for await (const msg of batch) {
            isFound = true;
            pauseMs = await takeIn(msg);
          }
          signal.removeEventListener('abort', stop);
          open.delete(openPull);
          if (pauseMs > 0) await rest(pauseMs);
        }
      }
    } catch (error) {
      bus.log.debug({ err: error as Error, durable }, 'job pull interrupted');
      await rest(500);
    }
  }
}
