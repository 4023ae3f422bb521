import type { ResponseBody, Route } from '@overtone/client';
import { routes, type RouteDef } from '@overtone/contracts';

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
  return Object.assign(exampleOf(definitionOf(route).answer) as object, fields) as ResponseBody<R>;
}

type ItemOf<B, K> = K extends keyof B
  ? NonNullable<B[K]> extends readonly (infer I)[]
    ? I
    : never
  : B extends readonly (infer I)[]
    ? I
    : object;

/**
 * The smallest item of a list in the response of a route, with some of its fields.
 * @param key the field with the list, `items.rules` for a list in the items of another; null: the response is the list
 */
export function exampleItem<R extends Route, K extends string | null>(
  route: R,
  key: K,
  fields: Partial<ItemOf<ResponseBody<R>, K>> = {},
): ItemOf<ResponseBody<R>, K> {
  let schema = definitionOf(route).answer;
  for (const name of key?.split('.') ?? []) schema = fieldOf(elementOf(schema), name);
  return Object.assign(exampleOf(elementOf(schema)) as object, fields) as ItemOf<ResponseBody<R>, K>;
}

/** The only page of a list. */
export function listOf<T>(items: T[]): { items: T[]; total: number; page: number; page_size: number } {
  return { items, total: items.length, page: 1, page_size: 20 };
}

type AuthSetting = ResponseBody<'GET /api/admin/auth-config'>['ldap'][number];

/** A setting of sign-in through a directory, without a value. */
export function authSetting(fields: Partial<AuthSetting>): AuthSetting {
  return {
    config_key: '',
    config_value: null,
    is_sensitive: false,
    is_set: false,
    origin: 'default',
    category: 'ldap',
    data_type: 'string',
    default_value: null,
    description: '',
    updated_at: null,
    updated_by: null,
    ...fields,
  };
}

function definitionOf(route: Route): RouteDef {
  const definition = routes.find(({ method, path }) => `${method} ${path}` === route);
  if (!definition) throw new Error(`the contracts have no route ${route}`);
  return definition;
}

function defOf(schema: Schema): Definition {
  return (schema as unknown as { readonly def: Definition }).def;
}

function elementOf(schema: Schema): Schema {
  const def = defOf(schema);
  return def.type === 'array' ? def.element : schema;
}

function fieldOf(schema: Schema, name: string): Schema {
  const def = defOf(schema);
  const field = def.type === 'object' ? def.shape[name] : undefined;
  if (!field) throw new Error(`the response has no field ${name}`);
  return field;
}

/** The smallest value that a schema of the contracts accepts: empty lists, empty texts, null. */
export function exampleOf(schema: Schema): unknown {
  const def = defOf(schema);
  if (def.type === 'array') return [];
  if (def.type === 'record') return Object.fromEntries(keysOf(def).map((key) => [key, exampleOf(def.valueType)]));
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

/** Fields with texts that people write. */
const writtenField = /(^|_)(title|name|text|description|quote|snippet|tag|label|reason|subject|recipient)$/;
/** Of a list with one entry. */
const counts: Readonly<Record<string, number>> = { total: 1, page: 1, page_size: 20 };

/** Responses of all routes that read, with one entry in each list and the same text in all fields that people write. */
export function writtenExamples(written: string): Map<Route, unknown> {
  const reading = routes.filter(({ method, answer }) => method === 'GET' && answer !== undefined);
  return new Map(
    reading.flatMap(({ method, path, answer }) => {
      const value = writtenOf(answer, { written, field: '' });
      return answer.safeParse(value).success ? [[`${method} ${path}` as Route, value] as const] : [];
    }),
  );
}

function writtenOf(schema: Schema, { written, field }: { written: string; field: string }): unknown {
  const def = defOf(schema);
  if (writtenField.test(field) && schema.safeParse(written).success) return written;
  if (field in counts) return counts[field];
  if (def.type === 'array') return [writtenOf(def.element, { written, field: field.replace(/s$/, '') })];
  if (def.type === 'nullable' || def.type === 'optional' || def.type === 'default')
    return writtenOf(def.innerType, { written, field });
  if (def.type !== 'object') return exampleOf(schema);
  return Object.fromEntries(
    Object.entries(def.shape).map(([name, inner]) => [name, writtenOf(inner, { written, field: name })]),
  );
}

/** A record with an enumeration as its keys has all of them. */
function keysOf({ keyType }: Extract<Definition, { type: 'record' }>): string[] {
  const def = defOf(keyType);
  return def.type === 'enum' ? Object.keys(def.entries) : [];
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
  | { readonly type: 'array'; readonly element: Schema }
  | { readonly type: 'record'; readonly keyType: Schema; readonly valueType: Schema }
  | { readonly type: 'nullable' | 'optional' | 'default'; readonly innerType: Schema }
  | { readonly type: 'null' | 'boolean' | 'string' | 'number' | 'undefined' };
