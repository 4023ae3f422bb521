import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request to the mock. */
export type Context = { request: IncomingMessage; response: ServerResponse; url: URL; parts: string[]; body: Buffer };
type Handler = (context: Context) => unknown;
/** undefined responds with 204; null means that the handler has sent the response. */
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
export const json = <T>(context: Context): T => JSON.parse(context.body.toString() || '{}') as T;

export const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
export const pageOf = <T>({ url }: Context, all: readonly T[]) => {
  const page = Number(url.searchParams.get('page') ?? 1);
  const size = Number(url.searchParams.get('page_size') ?? 20);
  return { items: all.slice((page - 1) * size, page * size), total: all.length, page, page_size: size };
};
export const find = <T extends { uuid: string }>(all: readonly T[], uuid: string | undefined): T => {
  const one = all.find((x) => x.uuid === uuid);
  if (!one) throw new Refusal(404, 'not_found', 'It does not exist, or it is not yours.');
  return one;
};
export const take = <T extends { uuid: string }>(all: T[], uuid: string | undefined): void =>
  void all.splice(all.indexOf(find(all, uuid)), 1);
