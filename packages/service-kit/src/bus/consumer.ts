import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventDurable, topology, type DataOf, type EventDef } from '@overtone/contracts';
import { AckPolicy, DeliverPolicy, nanos, type JsMsg } from 'nats';
import { runInFlow } from '../context.ts';
import { isAppError } from '../errors.ts';
import { inSpan } from '../tracing.ts';
import type { Bus } from './bus.ts';

/** How an event reached this handler. */
export type Delivery = { id: string; time: Date; source: string; deliveryCount: number; signal: AbortSignal };

export type Consumer = { durable: string; start: (bus: Bus) => { stop: () => Promise<void> } };

/**
 * Reacts to one event: one durable, one effect. Handlers are idempotent (deliveries may come twice and out of order).
 * A failure is tried again with growing pauses and never dropped; an error that says `permanent` is logged and dropped.
 * @param name the handler's file name without its role, e.g. `start-run`; the durable is `<service>-<name>`.
 */
export function consumer<E extends EventDef>(
  event: E,
  name: string,
  handler: (data: DataOf<E>, delivery: Delivery) => Promise<void>,
): Consumer {
  return {
    durable: name,
    start: (bus) => {
      // Imported, not passed in: every creator of a bus, tests included, would have to pass it, for this line alone.
      if (topology[bus.service].consumes[name] !== event) {
        throw new Error(`consumer ${name} of ${event.subject} is not in the topology of ${bus.service}`);
      }
      const aborter = new AbortController();
      const loop = pull(bus, event, eventDurable(bus.service, name), aborter.signal, (msg) =>
        deliver(bus, event, msg, aborter.signal, handler),
      );
      return {
        stop: async () => {
          aborter.abort();
          await loop;
        },
      };
    },
  };
}

/**
 * How long a pull waits for messages. A short time costs processor time in an idle instance, which has nearly a hundred
 * consumers.
 */
const pullMs = 60_000;

/** The pause before an event whose handler failed is delivered again; it doubles each time. */
const redelivery = { firstMs: 250, maxMs: 30_000 };

async function ensure(bus: Bus, event: EventDef, durable: string): Promise<void> {
  const jsm = await bus.jetstreamManager();
  await jsm.consumers.add('EVENTS', {
    durable_name: durable,
    filter_subject: event.subject,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(30_000),
    max_ack_pending: 1_000,
    max_deliver: -1,
  });
}

async function pull(
  bus: Bus,
  event: EventDef,
  durable: string,
  signal: AbortSignal,
  onMessage: (msg: JsMsg) => Promise<void>,
): Promise<void> {
  let known = false;
  let renewals = 0;
  let stopWaiting = (): void => {};
  // The broker forgets pulls with their connection or their stream.
  bus.onRenewal(() => {
    renewals += 1;
    stopWaiting();
  });
  // A lost broker, a recreated stream or a removed consumer all end here: make it again and go on.
  while (!signal.aborted) {
    try {
      if (!known) await ensure(bus, event, durable);
      known = true;
      const before = renewals;
      // Looked up for each batch: a pull on a consumer that was lost waits in vain.
      const handle = await bus.jetstream().consumers.get('EVENTS', durable);
      if (signal.aborted) return;
      const batch = await handle.fetch({ max_messages: 20, expires: pullMs });
      const stop = () => batch.stop();
      signal.addEventListener('abort', stop, { once: true });
      stopWaiting = () => {
        if (batch.getPending() === 0) batch.stop();
      };
      if (renewals !== before) stopWaiting();
      for await (const msg of batch) {
        await onMessage(msg);
        // This message is counted until the next one is asked for.
        if (renewals !== before && batch.getPending() <= 1) break;
      }
      signal.removeEventListener('abort', stop);
    } catch (error) {
      known = false;
      if (!signal.aborted) {
        bus.log.debug({ err: error as Error, durable }, 'consumer interrupted');
        await sleep(500, undefined, { signal }).catch(() => {});
      }
    }
  }
}

async function deliver<E extends EventDef>(
  bus: Bus,
  event: E,
  msg: JsMsg,
  signal: AbortSignal,
  handler: (data: DataOf<E>, delivery: Delivery) => Promise<void>,
): Promise<void> {
  const id = msg.headers?.get('Nats-Msg-Id') || randomUUID();
  const flow = { requestId: msg.headers?.get('ot-request-id') || id, route: event.subject, userId: null, dbQueries: 0 };
  const delivery: Delivery = {
    id,
    time: new Date(msg.headers?.get('ot-time') || Date.now()),
    source: msg.headers?.get('ot-source') ?? '',
    deliveryCount: msg.info.redeliveryCount,
    signal,
  };
  const from = { traceparent: msg.headers?.get('traceparent') ?? '' };
  await runInFlow(flow, async () => {
    try {
      const data = event.data.parse(msg.json()) as DataOf<E>;
      await inSpan(event.subject, { from }, () => handler(data, delivery));
      msg.ack();
    } catch (error) {
      if (isAppError(error) && error.permanent) {
        bus.log.error({ err: error, subject: event.subject, event_id: id }, 'event dropped: it can never be handled');
        msg.term();
        return;
      }
      const pause = Math.min(redelivery.maxMs, redelivery.firstMs * 2 ** Math.min(7, msg.info.redeliveryCount));
      bus.log.warn(
        { err: error as Error, subject: event.subject, event_id: id, pause_ms: pause },
        'event redelivery scheduled',
      );
      msg.nak(pause);
    }
  });
}
