import { randomBytes } from 'node:crypto';
import {
  context,
  propagation,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Context,
  SpanKind,
  type Tracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { currentService } from './current-service.ts';
import type { ServiceEnv } from './env.ts';

/** W3C trace context as it travels in HTTP and message headers. */
export type Carrier = { traceparent?: string; tracestate?: string };

/**
 * Switches tracing on. Trace ids are always passed on, from the browser's request through NATS to the job; spans are
 * recorded and exported only when OTEL_EXPORTER_OTLP_ENDPOINT is set, so the SDK is loaded only then.
 * @returns stops and flushes.
 */
export async function startTracing(
  service: string,
  env: Pick<ServiceEnv, 'OTEL_EXPORTER_OTLP_ENDPOINT'>,
): Promise<() => Promise<void>> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT) {
    const { NodeSDK } = await import('@opentelemetry/sdk-node');
    const sdk = new NodeSDK({ serviceName: service, instrumentations: [] });
    sdk.start();
    keepTracer();
    return () => sdk.shutdown();
  }
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return async () => {};
}

/** The tracers of the services of a process that runs several: a provider names one service. */
const tracers = new Map<string, Tracer>();
const tracerName = 'overtone';

/** Makes the provider that was registered last that of the current service only. */
function keepTracer(): void {
  const service = currentService();
  const registered = trace.getTracerProvider();
  if (service === undefined || !(registered instanceof ProxyTracerProvider)) return;
  tracers.set(service.name, registered.getDelegate().getTracer(tracerName));
  trace.disable();
}

function tracerOfService(): Tracer {
  return tracers.get(currentService()?.name ?? '') ?? trace.getTracer(tracerName);
}

function rootContext(): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    traceFlags: 1,
  });
}

/** The context that a carrier names; a fresh trace when it names none. */
function contextOf(from: Carrier | 'active'): Context {
  if (from === 'active') return context.active();
  const extracted = propagation.extract(ROOT_CONTEXT, from);
  return trace.getSpanContext(extracted) ? extracted : rootContext();
}

/** Runs `work` in a span that continues `from`; errors are recorded and rethrown. */
export async function inSpan<T>(
  name: string,
  options: { from?: Carrier | 'active'; kind?: SpanKind; attributes?: Record<string, string | number> },
  work: () => Promise<T>,
): Promise<T> {
  const parent = contextOf(options.from ?? 'active');
  const span = tracerOfService().startSpan(
    name,
    { kind: options.kind ?? SpanKind.INTERNAL, attributes: options.attributes ?? {} },
    parent,
  );
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    span.recordException(error as Error);
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** Headers that carry the active trace on. */
export function carrier(): Carrier {
  const out: Carrier = {};
  propagation.inject(context.active(), out);
  return out;
}
