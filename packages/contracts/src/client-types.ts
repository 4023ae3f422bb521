import { compile, type JSONSchema } from 'json-schema-to-typescript';

type Json = { readonly [key: string]: unknown };
type Operation = {
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: Json }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, { schema: Json }>> };
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema: Json }>> }>>;
};
type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Json };
};

const banner = '// Made from the contracts by packages/contracts/src/generate.main.ts.';
/** Limits of values, which TypeScript cannot express; lists with them would become tuples. */
const limits = new Set(['default', 'maxItems', 'minItems', 'minimum', 'maximum', 'maxLength', 'minLength', 'pattern']);

/** The types of all routes, by `METHOD path`, from the OpenAPI description. */
export async function clientTypes(description: Json): Promise<string> {
  const { paths, components } = description as Description;
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): [string, JSONSchema] => [
      `${method.toUpperCase()} ${path}`,
      routeSchema(operation),
    ]),
  );
  const schema = { ...objectOf(Object.fromEntries(routes)), definitions: components.schemas };
  return compile(withoutLimits(schema) as JSONSchema, 'Routes', {
    bannerComment: banner,
    additionalProperties: false,
    unreachableDefinitions: true,
    style: { singleQuote: true, printWidth: 120, trailingComma: 'all' },
  });
}

/** What a route takes and answers; a part that it does not have is missing. A form with a file is sent by `sendFile`. */
function routeSchema({ parameters, requestBody, responses }: Operation): JSONSchema {
  const body = Object.entries(requestBody?.content ?? {}).find(([type]) => /json|urlencoded/.test(type))?.[1].schema;
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const parts = {
    params: named(parameters, 'path'),
    query: named(parameters, 'query'),
    body,
    answer: success?.content?.['application/json']?.schema,
  };
  const given = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
  return objectOf(
    given,
    Object.keys(given).filter((part) => part !== 'body' || requestBody?.required === true),
  );
}

function named(parameters: Operation['parameters'], where: 'path' | 'query'): JSONSchema | undefined {
  const own = parameters.filter((parameter) => parameter.in === where);
  if (own.length === 0) return undefined;
  const required = own.filter((parameter) => parameter.required).map(({ name }) => name);
  return objectOf(Object.fromEntries(own.map(({ name, schema }) => [name, schema])), required);
}

function objectOf(properties: Json, required = Object.keys(properties)): JSONSchema {
  return { type: 'object', additionalProperties: false, properties: properties as JSONSchema['properties'], required };
}

function withoutLimits(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLimits);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(withNames(value as Json)).flatMap(([key, part]) => {
      if (limits.has(key) && typeof part !== 'object') return [];
      if (key === '$ref') return [[key, String(part).replace('#/components/schemas/', '#/definitions/')]];
      if (key === 'prefixItems') return tuple(part as readonly unknown[]);
      if (key === 'properties') return [[key, orUndefined(part as Json, (value as { required?: string[] }).required)]];
      return [[key, withoutLimits(part)]];
    }),
  );
}

/** A record of known keys has a property for each of them. */
function withNames(schema: Json): Json {
  const names = (schema['propertyNames'] as { enum?: readonly string[] } | undefined)?.enum;
  if (names === undefined) return schema;
  const { propertyNames: _, additionalProperties: value, ...rest } = schema;
  return { ...rest, additionalProperties: false, properties: Object.fromEntries(names.map((name) => [name, value])) };
}

/** A property that may be missing may be given as undefined, too: JSON does not know the difference. */
function orUndefined(properties: Json, required: readonly string[] = []): Json {
  const possible = (name: string, schema: unknown): unknown =>
    required.includes(name) ? schema : { anyOf: [schema, { tsType: 'undefined' }] };
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, possible(name, withoutLimits(schema))]),
  );
}

/** A tuple, as the drafts before 2020-12 describe it. */
function tuple(items: readonly unknown[]): [string, unknown][] {
  return [
    ['items', items.map(withoutLimits)],
    ['minItems', items.length],
    ['maxItems', items.length],
  ];
}
