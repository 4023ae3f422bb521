import { refusalOf, type OutboundGuard } from '@overtone/service-kit/outbound';
import { Agent, fetch, type RequestInit, type Response } from 'undici';

type EndpointRequest = Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal'>;
export type FetchEndpoint = (url: string, request: EndpointRequest) => Promise<Response>;

/** The signal of a request limits its time: a long recording takes longer than the client waits by default. */
const unlimited: Agent.Options = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * The only call of this service to endpoints that recognise speech or make vectors. Redirects are errors: they could lead to
 * another server with the key.
 * @param guard For endpoints that an administrator entered. Without it, for those of the environment: the operator of the
 *   worker may name private addresses. With it, a refused address is an AppError before a connection is opened.
 */
export function createEndpointFetch(guard?: OutboundGuard): {
  fetchEndpoint: FetchEndpoint;
  close: () => Promise<void>;
} {
  const dispatcher = guard ? guard.createDispatcher(unlimited) : new Agent(unlimited);
  return {
    fetchEndpoint: async (url, request) => {
      try {
        return await fetch(guard?.checkUrl(url) ?? url, { ...request, redirect: 'error', dispatcher });
      } catch (error) {
        throw refusalOf(error) ?? error;
      }
    },
    close: () => dispatcher.destroy(),
  };
}
