import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyOf, RequestOf, RpcDef, ServiceName } from '@overtone/contracts';
import { ErrorCode as NatsErrorCode, NatsError, type Msg, type NatsConnection, type Subscription } from 'nats';
import { z } from 'zod';
import { runInFlow } from '../context.ts';
import { AppError, isAppError, unavailable, type ErrorCode, type ErrorKind } from '../errors.ts';
import type { Log } from '../log.ts';
import { inSpan } from '../tracing.ts';
import { traceHeaders } from './trace-headers.ts';

const rpcAnswer = z.union([
  z.object({ ok: z.unknown() }),
  z.object({ error: z.object({ kind: z.string(), code: z.string(), message: z.string() }) }),
]);

/** As long as a service may be away for a restart. */
const restartMs = 10_000;
const unheardPauseMs = 50;
/** `present`: somebody answered last time; a time: since then nobody hears. */
type Presence = 'present' | number;

/**
 * Questions to other services. Where there is one replica nobody listens while it is started again: a question that
 * nobody has heard is asked again, whatever it does, within the time that its asker waits anyhow.
 */
export const createAsking = () => {
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
    const deadline = Date.now() + def.timeoutMs;
    for (;;) {
      try {
        const timeout = Math.max(1, deadline - Date.now());
        const msg = await nc.request(def.subject, payload, { timeout, headers: traceHeaders() });
        seen.set(def.subject, 'present');
        return replyIn(msg, def);
      } catch (cause) {
        if (isAppError(cause)) throw cause;
        const again = isUnheard(cause) && mayComeBack(def.subject) && Date.now() + unheardPauseMs < deadline;
        if (!again)
          throw unavailable('service_unavailable', `${def.service} does not answer`, { cause, detail: def.subject });
      }
      await sleep(unheardPauseMs);
    }
  };
};

const isUnheard = (e: unknown): boolean => e instanceof NatsError && e.code === (NatsErrorCode.NoResponders as string);

const replyIn = <R extends RpcDef>(msg: Msg, def: R): ReplyOf<R> => {
  const answer = rpcAnswer.parse(msg.json());
  if ('error' in answer) {
    const { kind, code, message } = answer.error;
    throw new AppError(kind as ErrorKind, code as ErrorCode, message, { detail: def.subject });
  }
  return def.reply.parse(answer.ok) as ReplyOf<R>;
};

/** Answers to other services' questions; replicas share them through a queue group. */
export const createAnswering = (service: ServiceName, log: Log) => {
  const subscriptions: Subscription[] = [];
  const underWay = new Set<Promise<void>>();

  const answerTo = async <R extends RpcDef>(
    def: R,
    handler: (request: RequestOf<R>) => Promise<ReplyOf<R>>,
    raw: unknown,
  ): Promise<unknown> => {
    const request = def.request.safeParse(raw);
    if (!request.success)
      return { error: { kind: 'invalid', code: 'invalid_request', message: `${def.subject}: request does not fit` } };
    try {
      return { ok: await handler(request.data as RequestOf<R>) };
    } catch (e) {
      if (isAppError(e)) return { error: { kind: e.kind, code: e.code, message: e.message } };
      log.error({ err: e as Error, subject: def.subject }, 'request from another service failed');
      return { error: { kind: 'unavailable', code: 'internal_error', message: `${def.subject} failed` } };
    }
  };

  return {
    serve: <R extends RpcDef>(
      nc: NatsConnection,
      def: R,
      handler: (request: RequestOf<R>) => Promise<ReplyOf<R>>,
    ): void => {
      const callback = (err: NatsError | null, msg: Msg): void => {
        if (err) return;
        const from = { traceparent: msg.headers?.get('traceparent') ?? '' };
        const requestId = msg.headers?.get('ot-request-id') || def.subject;
        const flow = { requestId, route: def.subject, userId: null, dbQueries: 0 };
        const work = runInFlow(flow, () => inSpan(def.subject, { from }, () => answerTo(def, handler, msg.json())))
          .then((body) => void msg.respond(JSON.stringify(body)))
          .finally(() => underWay.delete(work));
        underWay.add(work);
      };
      subscriptions.push(nc.subscribe(def.subject, { queue: service, callback }));
    },
    /** Takes no more questions and finishes the answers under way; another replica is asked meanwhile. */
    stop: async (): Promise<void> => {
      await Promise.all(subscriptions.splice(0).map((s) => s.drain().catch(() => {})));
      await Promise.all(underWay);
    },
  };
};
