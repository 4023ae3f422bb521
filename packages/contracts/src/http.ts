import { z } from 'zod';
import type { Access, BodyKind, RouteDef, ServiceName } from './define.ts';

const none = z.object({}).loose();
type None = typeof none;

type RouteInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType> = {
  method: RouteDef['method'];
  path: `/api${string}`;
  access: Access;
  summary: string;
  params?: P;
  query?: Q;
  body?: B;
  bodyKind?: BodyKind;
  answer?: A;
  status?: number;
  answerType?: string;
  csrfExempt?: boolean;
};

/**
 * Makes the route definer of one service.
 * @example const route = routesOf('media'); const listFiles = route({ method: 'GET', path: '/api/files', ... });
 */
export const routesOf =
  (service: ServiceName) =>
  <
    P extends z.ZodType = None,
    Q extends z.ZodType = None,
    B extends z.ZodType = z.ZodUndefined,
    A extends z.ZodType = z.ZodUndefined,
  >(
    def: RouteInput<P, Q, B, A>,
  ): RouteDef<P, Q, B, A> => ({
    method: def.method,
    path: def.path,
    service,
    access: def.access,
    summary: def.summary,
    params: (def.params ?? none) as P,
    query: (def.query ?? none) as Q,
    body: (def.body ?? z.undefined()) as B,
    bodyKind: def.bodyKind ?? 'json',
    answer: (def.answer ?? z.undefined()) as A,
    status: def.status ?? (def.answer ? 200 : 204),
    answerType: def.answerType ?? 'application/json',
    csrfExempt: def.csrfExempt ?? false,
  });

/** RFC 9457 problem details, with the fields every Overtone error carries. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  request_id: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof problem>;

/** A page of a list: `{items, total, page, page_size}`. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), total: z.int(), page: z.int(), page_size: z.int() });

/** Query fields of a paged list. */
export const pageQuery = {
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  page_size: z.coerce.number().int().min(1).max(100).default(20),
};

/** A query field that may be given once or several times; always parsed to a list. */
export const listQuery = <T extends z.ZodType>(item: T) =>
  z.preprocess((v) => (v === undefined ? [] : Array.isArray(v) ? v : [v]), z.array(item).max(100));

/** A query field that says yes or no. */
export const queryFlag = z.enum(['true', 'false']).transform((v) => v === 'true');

/** Header in which the edge tells identity when a request reached it, in epoch milliseconds; nothing else sets it. */
export const receivedHeader = 'x-overtone-received';

export const uuidParams = z.object({ uuid: z.uuid() });
export const message = z.object({ message: z.string() });
/** ISO-8601 UTC. */
export const time = z.iso.datetime();
/** NUL cannot be stored by PostgreSQL and has no meaning in text: refused at the edge of the system. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((s) => !s.includes('\0'), 'must not contain NUL');
