import { SpanKind } from '@opentelemetry/api';
import { carrier, inSpan } from '@overtone/service-kit';
import type { Exchange } from '../exchange/exchange.ts';

/** Runs the rest of a request as a part of the browser's trace. */
export type Traced = (x: Exchange, work: () => Promise<void>) => Promise<void>;

/** Without a span collector, the trace id is passed on unchanged. */
const untraced: Traced = (_x, work) => work();

const inServerSpan: Traced = (x, work) => {
  const options = {
    from: { traceparent: x.traceparent },
    kind: SpanKind.SERVER,
    attributes: { 'http.route': x.route },
  };
  return inSpan(`${x.req.method ?? ''} ${x.route}`, options, () => {
    x.traceparent = carrier().traceparent ?? x.traceparent;
    return work();
  });
};

export function createTraced(collector: string | undefined): Traced {
  return collector ? inServerSpan : untraced;
}
