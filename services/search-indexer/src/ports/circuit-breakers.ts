/** A limit of the search server's memory. `advice`: what to do while it is open; `setting`: its limit. */
type CircuitBreaker = { advice: string; setting: string };

const inflightRequests: CircuitBreaker = {
  advice: 'send fewer or smaller requests at the same time',
  setting: 'network.breaker.inflight_requests.limit',
};

/** By the name in the server's message. docs/runbooks/SearchLegFailing.md has the same advice with its commands. */
export const circuitBreakers: Readonly<Record<string, CircuitBreaker>> = {
  parent: {
    advice: 'look at heap use after garbage collection before you add heap',
    setting: 'indices.breaker.total.limit',
  },
  request: {
    advice: 'run fewer large searches and aggregations at the same time',
    setting: 'indices.breaker.request.limit',
  },
  fielddata: {
    advice: 'find the field that fills the fielddata cache and clear the cache',
    setting: 'indices.breaker.fielddata.limit',
  },
  inflight_requests: inflightRequests,
  // OpenSearch, and Elasticsearch before version 8.
  in_flight_requests: inflightRequests,
  accounting: {
    advice: 'delete indices that are not used or merge their segments, whose memory it counts',
    setting: 'indices.breaker.accounting.limit',
  },
  model_inference: {
    advice: 'stop models that are not used or raise the limit, since Overtone uses no model of the server',
    setting: 'breaker.model_inference.limit',
  },
  'Memory Circuit Breaker': {
    advice: 'usually a false trip of the heap threshold of model inference, set it to 95 before you add heap',
    setting: 'plugins.ml_commons.jvm_heap_memory_threshold',
  },
  'Native Memory Circuit Breaker': {
    advice: 'undeploy models that are not used or raise the threshold, since it counts memory outside of the heap',
    setting: 'plugins.ml_commons.native_memory_threshold',
  },
};

/** The name of the open circuit breaker in the message of a `circuit_breaking_exception`, with what to do. */
export function describeOpenBreaker(reason: string): { name: string; advice: string } {
  const name = /^\[([a-z_]+)\]/.exec(reason)?.[1] ?? /(?:Native )?Memory Circuit Breaker/.exec(reason)?.[0];
  const known = circuitBreakers[name ?? ''];
  return {
    name: name ?? 'of the search server',
    advice: known ? `${known.advice} (${known.setting})` : 'find out what fills it before you add heap',
  };
}
