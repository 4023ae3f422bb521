import { readFileSync } from 'node:fs';
import { Client, Transport } from '@elastic/elasticsearch';
import { searchServerError } from './elasticsearch-errors.ts';

export type ElasticOptions = {
  url: string;
  apiKey?: string | undefined;
  /** Certificates that sign the server's, PEM. */
  caFile?: string | undefined;
  /** All indices and aliases begin with it. */
  prefix: string;
  /** Of indices that are created from now on. */
  shards: number;
  replicas: number;
  /** Pauses before what the server rejected is sent again; then the write fails. */
  retryDelaysMs?: readonly number[];
};

/** Options of requests that a person waits for: a server that hangs is given up soon. */
export const interactiveRequestOptions = { requestTimeout: 2_000, maxRetries: 1 };
/** Specification, "Limits": readiness dependency checks. */
export const readinessRequestOptions = { requestTimeout: 2_000, maxRetries: 0 };
/** Writing a large file and creating an index may take longer. */
const writeTimeoutMs = 60_000;

/**
 * A client whose errors are AppErrors, see `searchServerError`. It sends plain JSON, which the versions 8 and 9 both accept:
 * a server refuses the media type of a newer version.
 */
class NamedErrorTransport extends Transport {
  constructor({ vendoredHeaders: _, ...options }: ConstructorParameters<typeof Transport>[0]) {
    super(options);
    const request = this.request.bind(this);
    const named = (...args: Parameters<typeof request>) =>
      request(...args).catch((error: unknown) => {
        throw searchServerError(error);
      });
    // The overloads differ only in their results.
    this.request = named as typeof request;
  }
}

export function createElasticClient({ url, apiKey, caFile }: ElasticOptions): Client {
  return new Client({
    node: url,
    ...(apiKey === undefined ? {} : { auth: { apiKey } }),
    ...(caFile === undefined ? {} : { tls: { ca: readFileSync(caFile) } }),
    requestTimeout: writeTimeoutMs,
    maxRetries: 3,
    Transport: NamedErrorTransport,
  });
}
