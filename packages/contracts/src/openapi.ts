import { z } from 'zod';
import type { RouteDef } from './define.ts';
import { problem } from './errors.ts';
import { errorsOf } from './http.ts';
import { sessionObject, tokenAnswer, userObject } from './identity-objects.ts';
import { auditRecord } from './identity-audit.ts';
import { authConfigItem } from './identity-auth-config.ts';
import { groupDetail, groupObject } from './identity-groups.ts';
import { mappingObject } from './identity-mappings.ts';
import { adminUserObject } from './identity-users.ts';
import * as media from './media-objects.ts';
import { taskObject } from './operations-tasks.ts';
import { searchAnswer, searchOccurrence, searchResult } from './search.ts';
import { settingItem } from './settings.ts';
import { routes } from './topology.ts';

type Json = Record<string, unknown>;

/** Schemas with their own name in the description; all others are inlined. */
const named: Record<string, z.ZodType> = {
  Problem: problem,
  User: userObject,
  Session: sessionObject,
  Tokens: tokenAnswer,
  Account: adminUserObject,
  AuditRecord: auditRecord,
  AuthSetting: authConfigItem,
  Setting: settingItem,
  Group: groupObject,
  GroupDetail: groupDetail,
  GroupMapping: mappingObject,
  File: media.fileObject,
  FileDetail: media.fileDetail,
  Segment: media.segmentObject,
  Speaker: media.speakerObject,
  Tag: media.tagObject,
  Task: taskObject,
  SearchAnswer: searchAnswer,
  SearchResult: searchResult,
  SearchOccurrence: searchOccurrence,
};

const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });

const meanings: Record<number, string> = {
  400: 'The request cannot be read, or is refused as it stands',
  401: 'Not signed in, or the sign-in is refused',
  403: 'Not allowed',
  404: 'Unknown, or not visible to the caller',
  405: 'The path has other methods',
  408: 'The request came too slowly',
  409: 'Conflicts with the current state',
  412: 'Another version of the protocol is needed',
  413: 'Too large',
  416: 'The range is not in the recording',
  417: 'The expectation is not supported',
  422: 'The body does not fit its schema',
  429: 'Too many requests; see Retry-After',
  431: 'The address or the headers are too long',
  503: 'A dependency is down; see Retry-After',
  507: 'The storage is full; see Retry-After',
};

/** OpenAPI 3.1 description of all HTTP routes, from the definitions that the services and the edge use. */
export function openApi(version: string): Json {
  const schemas: Json = {};
  schemaOf(problem, 'output', schemas);
  const paths: Record<string, Json> = {};
  for (const route of routes)
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(operationId(route), route, schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Overtone',
      version,
      description: 'Recordings in, searchable transcripts with speakers out.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([left], [right]) => left.localeCompare(right))),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'access_token',
          description: 'Changes need the cookie csrf_token repeated in the header X-CSRF-Token.',
        },
      },
    },
  };
}

/** JSON Schema of a schema on the wire, with named parts collected in `components`. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const {
    $schema: _,
    $defs,
    ...rest
  } = z.toJSONSchema(schema, {
    metadata: registry,
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  }) as Json & { $defs?: Json };
  for (const [name, def] of Object.entries($defs ?? {})) components[name] ??= tidy(def);
  const own = (rest as { id?: string }).id;
  if (own === undefined) return tidy(rest) as Json;
  components[own] ??= tidy(rest);
  return { $ref: `#/components/schemas/${own}` };
}

function operation(name: string, route: RouteDef, components: Json): Json {
  const body = requestBody(route, components);
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.path.split('/')[2] ?? 'system'],
    ...(route.access === 'public' ? { security: [] } : { 'x-required-role': route.access }),
    ...(route.setsCookies ? { 'x-sets-cookies': true } : {}),
    parameters: parameters(route, components),
    ...(body ? { requestBody: body } : {}),
    responses: { ...successes(route, components), ...failures(route) },
  };
}

function operationId({ method, path }: RouteDef): string {
  return [method.toLowerCase(), ...path.replaceAll(/[{}]/g, '').split('/').slice(2)]
    .flatMap((part) => part.split(/[-_.]/))
    .map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
}

/** Redirects references to the components, and drops patterns that a `format` implies and internal keys. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  const dropped = new Set(['id', ...('format' in value ? ['pattern'] : [])]);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, value]) => !(dropped.has(key) && typeof value === 'string'))
      .map(([key, value]) => [
        key,
        key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', '#/components/schemas/') : tidy(value),
      ]),
  );
}

function requestBody(route: RouteDef, components: Json): Json | undefined {
  if (route.bodyKind === 'raw') return rawBody(route);
  if (route.body instanceof z.ZodUndefined) return undefined;
  const type = route.bodyKind === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  const required = !route.body.safeParse(undefined).success;
  return { required, content: { [type]: { schema: schemaOf(route.body, 'input', components) } } };
}

function parameters(route: RouteDef, components: Json): Json[] {
  const list = (where: 'path' | 'query', whole: z.ZodType) => {
    const { properties = {} } = schemaOf(whole, 'input', components) as { properties?: Record<string, Json> };
    return Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: where,
      required: where === 'path' || !mayBeMissing(whole, name),
      ...(description ? { description } : {}),
      schema,
    }));
  };
  return [...list('path', route.params), ...list('query', route.query)];
}

function successes(route: RouteDef, components: Json): Json {
  const content = contentOf(route, components);
  const others = Object.entries(route.otherStatuses).map(([status, description]) => [
    status,
    { description, ...(content && status.startsWith('2') ? { content } : {}) },
  ]);
  return {
    [String(route.status)]: { description: route.summary, ...(content ? { content } : {}) },
    ...(Object.fromEntries(others) as Json),
  };
}

/** One response per error status of the route, with its codes. */
function failures(route: RouteDef): Json {
  const codes = Map.groupBy(errorsOf(route), (error) => error.status);
  return Object.fromEntries(
    [...codes.entries()]
      .toSorted(([left], [right]) => left - right)
      .map(([status, errors]) => [
        String(status),
        {
          description: meanings[status],
          'x-error-codes': [...new Set(errors.map((error) => error.code))].toSorted(),
          ...(route.method === 'HEAD'
            ? {}
            : { content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } }),
        },
      ]),
  );
}

/** Routes whose handler reads the body itself: the upload form, and the bytes of a resumable upload. */
function rawBody(route: RouteDef): Json | undefined {
  if (route.method === 'PATCH')
    return { content: { 'application/offset+octet-stream': { schema: { type: 'string', format: 'binary' } } } };
  if (route.method !== 'POST' || route.path.endsWith('/tus')) return undefined;
  const form = { type: 'object', properties: { file: { type: 'string', format: 'binary' } }, required: ['file'] };
  return { required: true, content: { 'multipart/form-data': { schema: form } } };
}

function mayBeMissing(schema: z.ZodType, name: string): boolean {
  return schema instanceof z.ZodObject && (schema.shape[name] as z.ZodType).safeParse(undefined).success;
}

function contentOf(route: RouteDef, components: Json): Json | undefined {
  if (route.method === 'HEAD') return undefined;
  const noJson = route.answer instanceof z.ZodUndefined;
  if (noJson && route.answerType === 'application/json') return undefined;
  const main = noJson ? { type: 'string' } : schemaOf(route.answer, 'output', components);
  const others = Object.entries(route.otherAnswers).map(([type, schema]) => [
    type,
    { schema: schemaOf(schema, 'output', components) },
  ]);
  return { [route.answerType]: { schema: main }, ...(Object.fromEntries(others) as Json) };
}
