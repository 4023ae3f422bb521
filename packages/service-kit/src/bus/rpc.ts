import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyOf, RequestOf, RpcDef, ServiceName } from '@overtone/contracts';
import { ErrorCode as NatsErrorCode, NatsError, headers, type Msg, type NatsConnection, type MsgHdrs } from 'nats';
import { z } from 'zod';
import { currentFlow, runInFlow } from '../context.ts';
import { AppError, isAppError, unavailable, type ErrorCode, type ErrorKind } from '../errors.ts';
import type { Log } from '../log.ts';
import { inSpan, carrier } from '../tracing.ts';
import type { BrokerConnection, LastingSubscription } from './broker-connection.ts';

const rpcAnswer = z.union([
  z.object({ ok: z.unknown() }),
  z.object({ error: z.object({ kind: z.string(), code: z.string(), message: z.string() }) }),
]);

/** As long as a service may be away for a restart. */
const restartMs = 10_000;
const noResponderPauseMs = 50;
/** As long as a client waits for a service that does not respond; longer than for an unresponsive broker. */
const awaitedMs = 4_500;
/** `present`: the last request had a reply; a time: no responders since then. */
type Presence = 'present' | number;

/**
 * Requests to other services. A service with one replica has no responder during its restart: a request that
 * reached no responder is sent again, also when it is not idempotent, within its timeout.
 */
export function createRequester() {
  const seen = new Map<string, Presence>();
  const mayComeBack = (subject: string): boolean => {
    const presence = seen.get(subject);
    if (presence === undefined) return false;
    const since = presence === 'present' ? Date.now() : presence;
    seen.set(subject, since);
    return Date.now() - since < restartMs;
  };

  return async <R extends RpcDef>(nc: NatsConnection, def: R, request: RequestOf<R>): Promise<ReplyOf<R>> => {
    const payload = JSON.stringify(request);
    const deadline = Date.now() + timeoutOf(def);
    for (;;) {
      try {
        const timeout = Math.max(1, deadline - Date.now());
        const msg = await nc.request(def.subject, payload, { timeout, headers: traceHeaders() });
        seen.set(def.subject, 'present');
        return replyIn(msg, def);
      } catch (cause) {
        if (isAppError(cause)) throw cause;
        const again = hasNoResponders(cause) && mayComeBack(def.subject) && Date.now() + noResponderPauseMs < deadline;
        if (!again)
          throw unavailable('service_unavailable', `The service ${def.service} does not respond. Please try again.`, {
            cause,
            detail: def.subject,
          });
      }
      await sleep(noResponderPauseMs);
    }
  };
}

/** Jobs wait as long as the request may take; the page of a waiting client must report a service that hangs. */
function timeoutOf({ timeoutMs, longRunning }: RpcDef): number {
  return currentFlow()?.isAwaited && !longRunning ? Math.min(timeoutMs, awaitedMs) : timeoutMs;
}

function hasNoResponders(error: unknown): boolean {
  return error instanceof NatsError && error.code === (NatsErrorCode.NoResponders as string);
}

function replyIn<R extends RpcDef>(msg: Msg, def: R): ReplyOf<R> {
  const answer = rpcAnswer.parse(msg.json());
  if ('error' in answer) {
    const { kind, code, message } = answer.error;
    throw new AppError(kind as ErrorKind, code as ErrorCode, message, { detail: def.subject });
  }
  return def.reply.parse(answer.ok) as ReplyOf<R>;
}

/** Replies to requests of other services; replicas share them through a queue group. */
export function createResponder(service: ServiceName, log: Log) {
  const subscriptions: LastingSubscription[] = [];
  const inProgress = new Set<Promise<void>>();

  const answerTo = async <R extends RpcDef>(
    def: R,
    handler: (request: RequestOf<R>) => Promise<ReplyOf<R>>,
    msg: Msg,
  ): Promise<unknown> => {
    let request: RequestOf<R>;
    try {
      request = def.request.parse(msg.json()) as RequestOf<R>;
    } catch {
      return { error: { kind: 'invalid', code: 'invalid_request', message: `${def.subject}: request does not fit` } };
    }
    try {
      return { ok: await handler(request) };
    } catch (error) {
      if (isAppError(error)) return { error: { kind: error.kind, code: error.code, message: error.message } };
      log.error({ err: error as Error, subject: def.subject }, 'request from another service failed');
      return { error: { kind: 'unavailable', code: 'internal_error', message: `${def.subject} failed` } };
    }
  };

  return {
    serve: <R extends RpcDef>(
      broker: Pick<BrokerConnection, 'subscribe'>,
      def: R,
      handler: (request: RequestOf<R>) => Promise<ReplyOf<R>>,
    ): void => {
      const answerMessage = (msg: Msg): void => {
        // The caller chooses the reply subject: only inboxes are accepted, or a caller could use this service's rights.
        if (!msg.reply?.startsWith('_INBOX.'))
          return log.warn({ subject: def.subject }, 'request without an inbox refused');
        const from = { traceparent: msg.headers?.get('traceparent') ?? '' };
        const requestId = msg.headers?.get('ot-request-id') || def.subject;
        const flow = { requestId, route: def.subject, userId: null, dbQueries: 0 };
        const work = runInFlow(flow, () => inSpan(def.subject, { from }, () => answerTo(def, handler, msg)))
          .then((body) => void msg.respond(JSON.stringify(body)))
          .finally(() => inProgress.delete(work));
        inProgress.add(work);
      };
      subscriptions.push(broker.subscribe(def.subject, answerMessage, { queue: service }));
    },
    /** Accepts no more requests and finishes those in progress; other replicas take over. */
    stop: async (): Promise<void> => {
      await Promise.all(subscriptions.splice(0).map((subscription) => subscription.drain().catch(() => {})));
      await Promise.all(inProgress);
    },
  };
}

/** The trace that a message belongs to. */
export function traceHeaders(): MsgHdrs {
  const messageHeaders = headers();
  for (const [name, value] of Object.entries(carrier())) messageHeaders.set(name, value);
  return messageHeaders;
}
