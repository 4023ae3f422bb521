import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request to the mock. */
export type Context = { request: IncomingMessage; response: ServerResponse; url: URL; parts: string[]; body: Buffer };
type Handler = (c: Context) => unknown;
/** undefined answers 204, null: the handler has answered. */
export type MockRoute = readonly [method: string, pattern: RegExp, handler: Handler];

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly more: Record<string, unknown>;
  constructor(status: number, code: string, detail: string, more: Record<string, unknown> = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.more = more;
  }
}
export const json = <T>(c: Context): T => JSON.parse(c.body.toString() || '{}') as T;
