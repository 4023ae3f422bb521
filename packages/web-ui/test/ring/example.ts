import { routes, type RouteDef } from '@overtone/contracts';
import type { ResponseBody, Route } from '../../src/api/routes.ts';

type Schema = RouteDef['answer'];

/** The value of every UUID that a test does not choose. */
export const anyUuid = uuid(0);
/** The value of every time that a test does not choose. */
export const anyTime = '2026-01-02T03:04:05.000Z';

/** A UUID with a number that is easy to recognise. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** The smallest response of a route, with some of its fields. */
export function example<R extends Route>(route: R, fields: Partial<ResponseBody<R>> = {}): ResponseBody<R> {
  const definition = routes.find(({ method, path }) => `${method} ${path}` === route);
  if (!definition) throw new Error(`the contracts have no route ${route}`);
  return Object.assign(exampleOf(definition.answer) as object, fields) as ResponseBody<R>;
}

/** The smallest value that a schema of the contracts accepts: empty lists, empty texts, null. */
export function exampleOf(schema: Schema): unknown {
  const node = schema as unknown as { readonly def: Definition };
  const { def } = node;
  if (def.type === 'array') return [];
  if (def.type === 'record') return {};
  if (def.type === 'literal') return def.values[0];
  if (def.type === 'enum') return Object.values(def.entries)[0];
  if (def.type === 'union') return exampleOf(def.options[0] as Schema);
  if (def.type !== 'object') return candidates.find((value) => schema.safeParse(value).success);
  return Object.fromEntries(
    Object.entries(def.shape).flatMap(([name, field]) => {
      const { success: isOptional, data } = field.safeParse(undefined);
      if (!isOptional) return [[name, exampleOf(field)]];
      return data === undefined ? [] : [[name, data]];
    }),
  );
}

const candidates = [
  undefined,
  null,
  false,
  0,
  1,
  16,
  100,
  1024,
  '',
  anyUuid,
  anyTime,
  'a@example.org',
  'https://example.org',
];

type Definition =
  | { readonly type: 'object'; readonly shape: Readonly<Record<string, Schema>> }
  | { readonly type: 'literal'; readonly values: readonly unknown[] }
  | { readonly type: 'enum'; readonly entries: Readonly<Record<string, unknown>> }
  | { readonly type: 'union'; readonly options: readonly Schema[] }
  | { readonly type: 'array' | 'record' | 'nullable' | 'null' | 'boolean' | 'string' | 'number' | 'undefined' };
