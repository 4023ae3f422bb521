import { setTimeout as sleep } from 'node:timers/promises';
import { eventFeed } from '@overtone/contracts';
import type { Bus, Part } from '@overtone/service-kit';
import { NatsError, type JetStreamManager, type Msg, type StoredMsg, type StreamState } from 'nats';

export type StreamEvent = { subject: string; body: unknown; seq: number; time: Date };
type StoredEvent = StreamEvent & { storedAt: Date };
export type TailDeps = {
  bus: Bus;
  /** How far back the stream is read at start. */
  lookBackMs: number;
  /** Reading starts after this sequence; what was known before is no longer valid. */
  onBegin: (afterSeq: number) => void;
  onEvent: (event: StreamEvent) => void;
};

/** Interval of the check for a lost delivery that no later delivery reveals. */
const checkIntervalMs = 2_000;
const retryMs = 200;
const readBatchSize = 128;
/** After a larger gap than this, or one that the stream no longer has, clients reload everything instead. */
const maxMissed = 20_000;

/**
 * Reads the stream EVENTS in order and without a gap. The dispatcher's feed consumer delivers every event to every
 * replica; missing events (at start, after a lost connection) are read from the stream by sequence. So this service
 * needs no permission to create, read or delete a consumer.
 */
export function createEventsTail(deps: TailDeps): Part {
  const { bus } = deps;
  const reader = createReader(deps);
  const stop = new AbortController();
  let woken = new AbortController();
  const wake = (): void => woken.abort();
  let loop = Promise.resolve();

  const run = async (onCaughtUp: () => void): Promise<void> => {
    while (!stop.signal.aborted) {
      woken = new AbortController();
      const done = await reader.catchUp().then(
        () => true,
        (err: unknown) => {
          bus.log.debug({ err: err as Error }, 'event feed interrupted');
          return false;
        },
      );
      if (done) onCaughtUp();
      const signal = done ? AbortSignal.any([stop.signal, woken.signal]) : stop.signal;
      await sleep(done ? checkIntervalMs : retryMs, undefined, { signal }).catch(() => {});
    }
  };

  return {
    name: 'event feed',
    start: async () => {
      bus.subscribe(eventFeed.subject, (msg) => {
        if (!reader.receive(toDeliveredEvent(msg))) wake();
      });
      bus.onRenewal(wake);
      await new Promise<void>((resolve) => {
        loop = run(resolve);
      });
    },
    stop: async () => {
      stop.abort();
      await loop;
    },
  };
}

/** Knows the last accepted event, and reads from the stream what is missing after it. */
function createReader({ bus, lookBackMs, onBegin, onEvent }: TailDeps) {
  let last: number | undefined;
  let streamCreated: string | undefined;
  let reading = false;

  const accept = (event: StreamEvent): void => {
    last = event.seq;
    onEvent(event);
  };

  const restart = async (jsm: JetStreamManager, state: StreamState): Promise<void> => {
    const events = await readBack(jsm, state, Date.now() - lookBackMs);
    last = (events[0]?.seq ?? state.last_seq + 1) - 1;
    onBegin(last);
    for (const event of events) accept(event);
    last = state.last_seq;
  };

  const readSequences = async (jsm: JetStreamManager, from: number, to: number): Promise<void> => {
    for (let first = from; first <= to; first += readBatchSize) {
      const until = Math.min(to, first + readBatchSize - 1);
      for (const event of await readRange(jsm, first, until)) accept(event);
      last = until;
    }
  };

  return {
    /** @returns false when events before this one are missing. */
    receive: (event: StreamEvent): boolean => {
      if (last !== undefined && !reading && event.seq === last + 1) {
        accept(event);
        return true;
      }
      return last !== undefined && event.seq <= last;
    },
    /** Reads events after the last accepted one. Deliveries that arrive during the read are covered by it. */
    catchUp: async (): Promise<void> => {
      const before = last;
      const jsm = await bus.jetstreamManager();
      const { created, state } = await jsm.streams.info('EVENTS');
      // A broker that lost its storage restarts the sequence at 1; one that lost power may have lost the last events only.
      const isShorter = before !== undefined && state.last_seq < before;
      const known = created === streamCreated && !isShorter ? last : undefined;
      if (known !== undefined && state.last_seq <= known) return;
      reading = true;
      try {
        const isReadable = known !== undefined && known + 1 >= state.first_seq && state.last_seq - known <= maxMissed;
        if (isReadable) await readSequences(jsm, known + 1, state.last_seq);
        else await restart(jsm, state);
        streamCreated = created;
      } finally {
        reading = false;
      }
    },
  };
}

/** The events stored since a time, in order; at most `maxMissed`. */
async function readBack(
  jsm: JetStreamManager,
  { first_seq, last_seq }: StreamState,
  since: number,
): Promise<StoredEvent[]> {
  let found: StoredEvent[] = [];
  for (let to = last_seq; to >= first_seq && to > 0 && found.length < maxMissed; to -= readBatchSize) {
    const events = await readRange(jsm, Math.max(1, first_seq, to - readBatchSize + 1), to);
    const recent = events.filter(({ storedAt }) => storedAt.getTime() >= since);
    found = [...recent, ...found];
    if (recent.length < events.length) break;
  }
  return found;
}

async function readRange(jsm: JetStreamManager, from: number, to: number): Promise<StoredEvent[]> {
  const sequences = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const stored = await Promise.all(
    sequences.map((seq) => jsm.streams.getMessage('EVENTS', { seq }).catch(undefinedIfRemoved)),
  );
  return stored.flatMap((msg) => (msg === undefined ? [] : [toStoredEvent(msg)]));
}

/** A stream removes its oldest events; their sequences have no message. */
function undefinedIfRemoved(error: unknown): undefined {
  if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
  throw error;
}

/** Decoded here: the client decodes this reply subject only for consumers it looked up, which needs a permission. */
function toDeliveredEvent(msg: Msg): StreamEvent {
  const tokens = (msg.reply ?? '').split('.');
  // $JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<number>.<time>...; newer servers add domain and account.
  const [seq = '', , nanoseconds = ''] = tokens.slice(tokens.length > 9 ? 7 : 5);
  const time = new Date(msg.headers?.get('ot-time') || Number(nanoseconds) / 1e6);
  return { subject: msg.subject, body: parse(msg), seq: Number(seq), time };
}

function toStoredEvent(msg: StoredMsg): StoredEvent {
  return {
    subject: msg.subject,
    body: parse(msg),
    seq: msg.seq,
    time: new Date(msg.header.get('ot-time') || msg.time),
    storedAt: msg.time,
  };
}

function parse(msg: { json: <T>() => T }): unknown {
  try {
    return msg.json();
  } catch {
    return undefined;
  }
}
