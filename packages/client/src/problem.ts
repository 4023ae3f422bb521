import type { Problem } from './api.ts';

/** A failed request, with the message and the code of the API (RFC 9457). */
export class ApiError extends Error {
  /** 0: the server cannot be reached. */
  readonly status: number;
  readonly code: string;
  /** What the server says; null when it said nothing, as a proxy before it may. */
  readonly detail: string | null;
  readonly requestId: string | null;
  /** Seconds after which the request may be sent again. */
  readonly retryAfter: number | null;
  /** The whole body: a few codes carry more (a duplicate names the existing file). */
  readonly body: Readonly<Record<string, unknown>>;
  readonly fields: readonly { path: string; message: string }[];
  /** From the request to its failure. */
  waitedMs = 0;

  constructor(status: number, body: Readonly<Record<string, unknown>>, retryAfter: number | null = null) {
    const problem = body as Partial<Problem>;
    const detail = problem.detail ?? problem.title ?? null;
    super(detail ?? (status === 0 ? 'The server cannot be reached.' : `The server answered with status ${status}.`));
    this.name = 'ApiError';
    this.status = status;
    this.code = problem.code ?? (status === 0 ? 'unreachable' : `http_${status}`);
    this.detail = detail;
    this.requestId = problem.request_id ?? null;
    this.retryAfter = retryAfter;
    this.body = body;
    this.fields = problem.errors ?? [];
  }
}

/** Parses a problem from any body; a proxy may respond with HTML. */
export function problemFrom(status: number, text: string, retryAfter: string | null): ApiError {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  return new ApiError(status, objectFrom(text), Number.isFinite(seconds) ? seconds : null);
}

function objectFrom(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
