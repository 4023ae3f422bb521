import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Part } from '@overtone/service-kit';
import { AckPolicy, ConsumerEvents, DeliverPolicy, nanos, ReplayPolicy, type ConsumerMessages, type JsMsg } from 'nats';

type StreamEvent = { subject: string; body: unknown; seq: number; time: Date };
export type EventsTail = {
  part: Part;
};
export type TailDeps = {
  bus: Bus;
  /** How far back to begin at boot. */
  lookBackMs: number;
  /** The stream is read from after this sequence on; `anew` when what was known of it before no longer holds. */
  onBegin: (afterSeq: number, anew: boolean) => void;
  onEvent: (event: StreamEvent) => void;
};

/**
 * The stream EVENTS, read in order and without a gap by a consumer that leaves nothing behind in the broker. Whatever
 * interrupts it (a lost connection, a restarted broker, a skipped delivery), it begins again after the last event seen.
 */
export const createEventsTail = ({ bus, lookBackMs, onBegin, onEvent }: TailDeps): EventsTail => {
  const stop = new AbortController();
  let last: number | undefined;
  let messages: ConsumerMessages | undefined;
  let loop = Promise.resolve();
  let caughtUp = (): void => {};

  /** Where to begin. A stream shorter than what was seen of it is another stream: the broker lost its store. */
  const begin = async () => {
    const jsm = await bus.jetstreamManager();
    const { state } = await jsm.streams.info('EVENTS');
    const anew = last === undefined || state.last_seq < last;
    if (last !== undefined && !anew) return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: last + 1 };
    const from = new Date(Date.now() - lookBackMs).toISOString();
    return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: from, anew, streamEnd: state.last_seq };
  };

  const read = async (): Promise<void> => {
    const start = await begin();
    const { anew, streamEnd, ...policy } = { anew: false, streamEnd: 0, ...start };
    const jsm = await bus.jetstreamManager();
    const info = await jsm.consumers.add('EVENTS', {
      ...policy,
      ack_policy: AckPolicy.None,
      replay_policy: ReplayPolicy.Instant,
      filter_subject: 'evt.>',
      inactive_threshold: nanos(60_000),
      mem_storage: true,
      num_replicas: 1,
    });
    const consumer = await bus.jetstream().consumers.get('EVENTS', info.name);
    if (anew && info.num_pending === 0) settle(streamEnd, true);
    if (info.num_pending === 0) caughtUp();
    messages = await consumer.consume({ max_messages: 500, expires: 5_000, idle_heartbeat: 2_000 });
    const reading = messages;
    void watch(reading);
    let expected = 1;
    let begun = !anew || info.num_pending === 0;
    for await (const msg of reading) {
      if (msg.info.deliverySequence !== expected) break;
      expected += 1;
      if (!begun) settle(msg.seq - 1, true);
      begun = true;
      take(msg);
      if (msg.info.pending === 0) caughtUp();
    }
    reading.stop();
  };

  const settle = (after: number, anew: boolean): void => {
    last = after;
    onBegin(after, anew);
  };

  const take = (msg: JsMsg): void => {
    last = msg.seq;
    const time = new Date(msg.headers?.get('ot-time') || msg.info.timestampNanos / 1e6);
    onEvent({ subject: msg.subject, body: parse(msg), seq: msg.seq, time });
  };

  /** A silent broker or a consumer that is gone: what the client reports of it ends this reading. */
  const watch = async (reading: ConsumerMessages): Promise<void> => {
    for await (const s of await reading.status()) {
      if (interruptions.has(s.type)) reading.stop();
    }
  };

  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await read().catch((err: unknown) => bus.log.debug({ err: err as Error }, 'event feed interrupted'));
      await sleep(200, undefined, { signal: stop.signal }).catch(() => {});
    }
  };

  return {
    part: {
      name: 'event feed',
      start: async () => {
        const ready = new Promise<void>((resolve) => {
          caughtUp = resolve;
        });
        bus.onReconnect(() => messages?.stop());
        loop = run();
        await ready;
      },
      stop: async () => {
        stop.abort();
        messages?.stop();
        await loop;
      },
    },
  };
};

const interruptions: ReadonlySet<unknown> = new Set([
  ConsumerEvents.HeartbeatsMissed,
  ConsumerEvents.ConsumerNotFound,
  ConsumerEvents.ConsumerDeleted,
  ConsumerEvents.StreamNotFound,
]);

const parse = (msg: JsMsg): unknown => {
  try {
    return msg.json();
  } catch {
    return undefined;
  }
};
