import type { Problem } from '@overtone/contracts';

/** An answer of the API that is not what was asked for, with the API's own words and code. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly retryAfter: number | null;
  /** The whole body, for the few codes that carry more (a duplicate names the file that is there). */
  readonly body: Readonly<Record<string, unknown>>;
  readonly fields: readonly { path: string; message: string }[];

  constructor(status: number, body: Readonly<Record<string, unknown>>, retryAfter: number | null = null) {
    const problem = body as Partial<Problem>;
    super(problem.detail ?? problem.title ?? fallbackWords(status));
    this.name = 'ApiError';
    this.status = status;
    this.code = problem.code ?? (status === 0 ? 'unreachable' : `http_${status}`);
    this.requestId = problem.request_id ?? null;
    this.retryAfter = retryAfter;
    this.body = body;
    this.fields = problem.errors ?? [];
  }
}

const fallbackWords = (status: number): string => {
  if (status === 0) return 'Can’t connect. Retrying automatically.';
  if (status === 413) return 'This is larger than the server accepts.';
  if (status === 429) return 'Too many attempts. Wait a moment, then try again.';
  if (status >= 500) return 'The server couldn’t do this. Try again in a moment.';
  return `The server answered with status ${status}.`;
};

/** Reads a problem from a body that may be anything (a proxy may answer with HTML). */
export const problemFrom = (status: number, text: string, retryAfter: string | null): ApiError => {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  return new ApiError(status, objectFrom(text), Number.isFinite(seconds) ? seconds : null);
};

const objectFrom = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
};

/** What to tell a person of any thrown value. */
export const wordsOf = (error: unknown): string => {
  if (error instanceof ApiError) {
    const fields = error.fields.map((f) => (f.path ? `${f.path}: ${f.message}` : f.message));
    return fields.length > 0 ? `${error.message} (${fields.join('; ')})` : error.message;
  }
  return error instanceof Error ? error.message : String(error);
};

export const codeOf = (error: unknown): string | null => (error instanceof ApiError ? error.code : null);
/** True when the platform, not the request, is at fault: the screen says "outage", never "nothing found". */
export const isOutage = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status === 0 || error.status >= 500 || error.status === 429;
/** What an API error says of one field of a form; null: nothing. */
export const fieldOf = (error: unknown, field: string): string | null => {
  if (!(error instanceof ApiError)) return null;
  const said = error.fields.filter(({ path }) => path === field).map(({ message }) => message);
  return said.length > 0 ? said.join(' ') : null;
};
