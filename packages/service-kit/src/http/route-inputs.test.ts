import { readsBody, routes, type RouteDef } from '@overtone/contracts';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { isSuperLinear } from '@overtone/testkit/growth';

/*
 * Every text and list that a route accepts in its path, query or body, as the contracts describe them: each has a limit, and
 * the check of an input of 16 times the size takes at most about 16 times the time and memory. What a handler does with it,
 * and bodies that a handler reads itself (uploads, imported transcripts), have tests of their own.
 */

type Schema = {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  propertyNames?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};
type Input = { name: string; zod: z.ZodType; schema: Schema };

/** What the service kit checks by zod before a handler runs. */
function inputsOf(route: RouteDef): Input[] {
  const parts = { path: route.params, query: route.query, ...(readsBody(route) ? { body: route.body } : {}) };
  return Object.entries(parts).map(([part, zod]) => ({
    name: `${route.method} ${route.path} ${part}`,
    zod,
    schema: z.toJSONSchema(zod, { unrepresentable: 'any', io: 'input' }) as Schema,
  }));
}

const inputs = routes.flatMap(inputsOf);

function resolved(schema: Schema, root: Schema): Schema {
  return schema.$ref === undefined ? schema : (root.$defs?.[schema.$ref.split('/').at(-1) ?? ''] ?? {});
}

function typesOf({ type }: Schema): string[] {
  return [type ?? []].flat();
}

function choicesOf({ anyOf = [], oneOf = [], allOf = [] }: Schema): Schema[] {
  return [...anyOf, ...oneOf, ...allOf];
}

function isText(schema: Schema): boolean {
  return typesOf(schema).includes('string') && schema.enum === undefined && !('const' in schema);
}

/** Formats and patterns that a long text cannot have. */
function isShort({ format = '', pattern }: Schema): boolean {
  return /^(uuid|date|time|date-time)$/.test(format) || (pattern !== undefined && !/[*+]|\{\d+,\}/.test(pattern));
}

/** Places in a schema that accept any amount. */
function unlimited(schema: Schema, root: Schema, path: string, depth = 0): string[] {
  if (depth > 12) return [];
  const below = (next: Schema, name: string): string[] =>
    unlimited(resolved(next, root), root, `${path}${name}`, depth + 1);
  const found: string[] = [];
  if (isText(schema) && schema.maxLength === undefined && !isShort(schema)) found.push(`${path}: text`);
  if (typesOf(schema).includes('array') && schema.maxItems === undefined && schema.prefixItems === undefined)
    found.push(`${path}: list`);
  const { additionalProperties: others } = schema;
  if (typeof others === 'object' && Object.keys(others).length > 0) {
    const names = schema.propertyNames ?? {};
    if (names.maxLength === undefined && names.enum === undefined) found.push(`${path}: names`);
    found.push(...below(others, '.*'));
  }
  return [
    ...found,
    ...Object.entries(schema.properties ?? {}).flatMap(([name, next]) => below(next, `.${name}`)),
    ...choicesOf(schema).flatMap((next) => below(next, '')),
    ...(schema.prefixItems ?? []).flatMap((next) => below(next, '[]')),
    ...(schema.items ? below(schema.items, '[]') : []),
  ];
}

/** Larger inputs are refused before they are parsed: `express.json` of the service kit accepts 1 MB. */
const longestText = 65_536;
const longestList = 1_024;

/** `texts`: long texts in short lists; `lists`: short texts in long lists. */
type Filling = { mode: 'texts' | 'lists' | 'list item'; piece: string; sixteenths: number; branch: number };

/** A value that fits a schema as far as its texts allow. */
function fill(schema: Schema, root: Schema, filling: Filling): unknown {
  const next = (of: Schema): unknown => fill(resolved(of, root), root, filling);
  // Lists in lists would be larger than any body.
  const item = (of: Schema): unknown =>
    fill(resolved(of, root), root, filling.mode === 'lists' ? { ...filling, mode: 'list item' } : filling);
  const { mode, piece, sixteenths, branch } = filling;
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[branch % schema.enum.length];
  const choices = choicesOf(schema);
  if (choices.length > 0) return next(choices[branch % choices.length]!);
  if (isText(schema)) {
    if (schema.format === 'uuid') return '0b8f7d5e-8a3c-4f0e-9d4b-6d0a2c1e3f55';
    if (isShort(schema)) return '2026-11-24T10:03:12Z';
    const most = mode === 'texts' ? Math.min(schema.maxLength ?? longestText, longestText) : 16;
    return repeated(piece, mode === 'texts' ? Math.ceil((most * sixteenths) / 16) : most);
  }
  const types = typesOf(schema);
  if (types.includes('array')) {
    const most = mode === 'lists' ? Math.min(schema.maxItems ?? longestList, longestList) : 1;
    return Array.from({ length: Math.ceil((most * sixteenths) / 16) }, () => item(schema.items ?? {}));
  }
  if (types.includes('object') || schema.properties) {
    const { properties = {}, additionalProperties: others } = schema;
    const named = Object.entries(properties).map(([name, of]) => [name, next(of)]);
    const count = typeof others === 'object' ? (mode === 'lists' ? 64 * sixteenths : 1) : 0;
    const more = Array.from({ length: count }, (_, i) => [`name${i}`, item(others as Schema)]);
    return Object.fromEntries([...named, ...more]);
  }
  if (types.includes('number') || types.includes('integer')) return Math.max(schema.minimum ?? 1, 1);
  return types.includes('boolean') ? true : null;
}

function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

/** What parsers and patterns meet rarely, and repeat often when they backtrack. */
const pieces = [
  'a',
  'a ',
  ' ',
  '\n',
  '.',
  '-',
  ',',
  'a,',
  '1',
  '/',
  '../',
  '"',
  '((',
  '*',
  '**/',
  '=',
  'cn=a,',
  '<v ',
  'a@',
  'a.',
  '%',
  '&#x',
  '\\',
  'é',
  '\u0301',
  '\u200B',
  '\u202E',
  '\uD800',
  '中',
  '𝄞',
];

const noiseMicroseconds = 15_000;

async function isSlow(zod: z.ZodType, at: (sixteenths: number) => unknown): Promise<boolean> {
  const [large, small] = [at(16), at(1)];
  const count = Math.ceil(JSON.stringify(large).length / JSON.stringify(small).length);
  return await isSuperLinear((value) => zod.safeParse(value), { large, small, count }, noiseMicroseconds);
}

/** How many bytes an answer or a handler gets for each byte of the input. */
function amplification(zod: z.ZodType, value: unknown): number {
  const { data, error } = zod.safeParse(value);
  const [given, made] = [value, error ? error.issues : data].map((part) => JSON.stringify(part)?.length ?? 0);
  return Math.max(0, made! - 4_096) / Math.max(1, given!);
}

/** Of one input with all pieces. */
async function faultsOf({ name, zod, schema }: Input): Promise<string[]> {
  const faults: string[] = [];
  for (const mode of ['texts', 'lists'] as const)
    for (let branch = 0; branch < branchesOf(schema, schema); branch += 1)
      for (const piece of mode === 'texts' ? pieces : pieces.slice(0, 2)) {
        const at = (sixteenths: number) => fill(schema, schema, { mode, piece, sixteenths, branch });
        const what = `${name}: ${mode} of ${JSON.stringify(piece)}`;
        if (await isSlow(zod, at)) faults.push(`${what} take more than linear time`);
        if (amplification(zod, at(16)) > 8) faults.push(`${what} grow when they are parsed`);
      }
  return faults;
}

/** The most choices at one place of a schema: each is filled once. */
function branchesOf(schema: Schema, root: Schema, depth = 0): number {
  if (depth > 8) return 1;
  const choices = choicesOf(schema);
  const below = [...choices, ...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])].map(
    (next) => branchesOf(resolved(next, root), root, depth + 1),
  );
  return Math.min(6, Math.max(1, choices.length, ...below));
}

function accepts(schema: Schema): boolean {
  const text = JSON.stringify(schema);
  return /"type":"array"|"maxLength"|"type":\["/.test(text) || unlimited(schema, schema, '').length > 0;
}

describe('the inputs of all routes', () => {
  it('have a limit for every text, list and name', () => {
    expect(inputs.flatMap(({ name, schema }) => unlimited(schema, schema, name))).toEqual([]);
  });

  const large = inputs.filter(({ schema }) => accepts(schema));

  it('are those of the contracts', () => {
    expect(routes.length).toBeGreaterThan(300);
    expect(large.length).toBeGreaterThan(100);
  });

  it('are checked in linear time and memory', async () => {
    const faults: string[] = [];
    for (const input of large) faults.push(...(await faultsOf(input)));
    expect(faults).toEqual([]);
  }, 900_000);
});

describe('the check of inputs', () => {
  const inputOf = (field: z.ZodType): Input => {
    const zod = z.object({ field });
    return {
      name: 'POST /x body',
      zod,
      schema: z.toJSONSchema(zod, { unrepresentable: 'any', io: 'input' }) as Schema,
    };
  };

  it('finds a text and a list without a limit', () => {
    const { schema } = inputOf(z.array(z.string()));
    expect(unlimited(schema, schema, 'body')).toEqual(['body.field: list', 'body.field[]: text']);
  });

  it('finds a check that takes quadratic time', async () => {
    const isQuadratic = (text: string): boolean => {
      let letters = 0;
      for (let i = 0; i < text.length; i += 1) letters += text.slice(i).replaceAll('a', 'b').length;
      return letters >= 0;
    };
    const { zod, schema } = inputOf(z.string().max(4_096).refine(isQuadratic));
    const at = (sixteenths: number) => fill(schema, schema, { mode: 'texts', piece: 'a', sixteenths, branch: 0 });
    expect(await isSlow(zod, at)).toBe(true);
  });

  it('finds a text that grows when it is parsed', async () => {
    const faults = await faultsOf(
      inputOf(
        z
          .string()
          .max(longestText)
          .transform((text) => text.repeat(20)),
      ),
    );
    expect(faults).toContainEqual(expect.stringContaining('grow'));
  });
});
