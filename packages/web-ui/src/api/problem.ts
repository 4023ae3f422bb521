import { t } from '@lingui/core/macro';
import type { Problem } from '@overtone/contracts';

/** A failed request, with the message and the code of the API. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly retryAfter: number | null;
  /** The whole body: a few codes carry more (a duplicate names the existing file). */
  readonly body: Readonly<Record<string, unknown>>;
  readonly fields: readonly { path: string; message: string }[];
  /** From the request to its failure. */
  waitedMs = 0;

  constructor(status: number, body: Readonly<Record<string, unknown>>, retryAfter: number | null = null) {
    const problem = body as Partial<Problem>;
    super(problem.detail ?? problem.title ?? fallbackMessage(status));
    this.name = 'ApiError';
    this.status = status;
    this.code = problem.code ?? (status === 0 ? 'unreachable' : `http_${status}`);
    this.requestId = problem.request_id ?? null;
    this.retryAfter = retryAfter;
    this.body = body;
    this.fields = problem.errors ?? [];
  }
}

function fallbackMessage(status: number): string {
  if (status === 0) return t`Can’t connect. Check your connection, then try again.`;
  if (status === 413) return t`This is larger than the server accepts.`;
  if (status === 429) return t`Too many attempts. Wait a moment, then try again.`;
  if (status >= 500) return t`The server couldn’t do this. Try again in a moment.`;
  return t`The server answered with status ${status}.`;
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

/** The message to show for any thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) {
    const fields = error.fields.map(({ path, message }) => (path ? `${path}: ${message}` : message));
    return fields.length > 0 ? `${error.message} (${fields.join('; ')})` : error.message;
  }
  return error instanceof Error ? error.message : String(error);
}

export function codeOf(error: unknown): string | null {
  return error instanceof ApiError ? error.code : null;
}

/** True when the platform failed, not the request: the page then reports an outage, never an empty result. */
export function isOutage(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500 || error.status === 429;
}

/** The message of an API error for one field of a form; null when there is none. */
export function fieldOf(error: unknown, field: string): string | null {
  if (!(error instanceof ApiError)) return null;
  const messages = error.fields.filter(({ path }) => path === field).map(({ message }) => message);
  return messages.length > 0 ? messages.join(' ') : null;
}
