import { errors } from '@elastic/elasticsearch';
import { isAppError, unavailable, type AppError } from '@overtone/service-kit';
import { z } from 'zod';
import { describeOpenBreaker } from './circuit-breakers.ts';

/** An error as the server reports it: of a request, of one search of several, or of one row of a bulk. */
const reportedError = z.object({
  type: z.string(),
  reason: z.string().nullish(),
  bytes_limit: z.number().optional(),
  bytes_wanted: z.number().optional(),
  get root_cause() {
    return z.array(reportedError).optional();
  },
  get caused_by() {
    return reportedError.optional();
  },
  get failed_shards() {
    return z.array(z.object({ reason: reportedError })).optional();
  },
});
type ReportedError = z.infer<typeof reportedError>;
const withError = z.object({ error: reportedError });

/**
 * Names a failure of the search server and what to do about it.
 * @param error an error of the client, or one that the server reported inside a response.
 * @returns AppError `search_unavailable`; its message has no query and no text of a transcript.
 */
export function searchServerError(error: unknown): AppError {
  if (isAppError(error)) return error;
  const reported = reportedBy(error);
  const detail = reported?.reason ?? (error instanceof Error ? error.message : JSON.stringify(error));
  return unavailable('search_unavailable', messageOf(error, reported), { cause: error, detail, retryAfterSeconds: 5 });
}

/** True when the same request may succeed later or in smaller parts. */
export function isOverload(status: number | undefined): boolean {
  return status === 429 || status === 413;
}

function messageOf(error: unknown, reported: ReportedError | null): string {
  if (error instanceof errors.TimeoutError) return 'The search server did not respond in time';
  if (error instanceof errors.ConnectionError) return 'The search server cannot be reached';
  if (!reported) return 'The search server does not respond as expected';
  switch (reported.type) {
    case 'circuit_breaking_exception':
      return breakerMessage(reported);
    case 'cluster_block_exception':
      return 'The search index is read-only: free disk space on the search server, or remove another block (index.blocks)';
    case 'es_rejected_execution_exception':
      return 'The search server is overloaded and rejected the request';
    case 'index_not_found_exception':
      return 'This build of the index no longer exists';
    case 'security_exception':
      return 'The search server refused the API key: see its privileges';
    case 'strict_dynamic_mapping_exception':
    case 'document_parsing_exception':
    case 'mapper_parsing_exception':
      return 'The search index has another mapping than this release: start a reindex';
    default:
      return `The search server failed: ${reported.type}`;
  }
}

function breakerMessage({ reason, bytes_limit: limit, bytes_wanted: wanted }: ReportedError): string {
  const { name, advice } = describeOpenBreaker(reason ?? '');
  const sizes = limit === undefined ? '' : ` (limit ${mebibytes(limit)}, wanted ${mebibytes(wanted ?? 0)})`;
  return `The circuit breaker ${name} is open${sizes}: ${advice}`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** The error that explains the others: the outer ones only say that all shards failed. */
function reportedBy(error: unknown): ReportedError | null {
  const body = error instanceof errors.ResponseError ? error.meta.body : error;
  const found = withError.safeParse(body).data?.error ?? reportedError.safeParse(body).data;
  if (!found) return null;
  const all = withCauses(found);
  return all.find(({ type }) => type === 'circuit_breaking_exception') ?? rootOf(found);
}

function withCauses(error: ReportedError): ReportedError[] {
  const causes = [...(error.root_cause ?? []), ...(error.caused_by ? [error.caused_by] : [])];
  const ofShards = (error.failed_shards ?? []).map(({ reason }) => reason);
  // The server repeats an error as its own root cause.
  return [error, ...[...causes, ...ofShards].flatMap((cause) => (cause.root_cause ? [cause] : withCauses(cause)))];
}

function rootOf(error: ReportedError): ReportedError {
  const [root] = error.root_cause ?? [];
  return root ?? error;
}
