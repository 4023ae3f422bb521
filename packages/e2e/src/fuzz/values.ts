import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';

/** The part of JSON Schema that the API description uses. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
};
export type Resolve = (schema: Schema) => Schema;

/** Strings that parsers, databases and encoders interpret differently. */
const hostileStrings = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\uD800',
  'a\uDFFFb',
  '\uFFFD',
  '\uFEFF',
  '\u202E',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-1',
  '1e309',
  '../../etc/passwd',
  "' or 1=1 --",
  '%00',
  '%',
  '%ff',
  '*)(uid=*',
  '<script>',
  '\r\nX-Injected: 1',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '275760-09-13T00:00:00.001Z',
  '00000000-0000-0000-0000-000000000000',
  'x'.repeat(300),
  'x'.repeat(5_000),
  '𝄞'.repeat(130),
  'é'.repeat(255),
];
const hostileNumbers = [0, -0, -1, 1, 0.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 53 + 2, Number.MIN_VALUE];

export const hostileText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostileStrings),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);

/** Any value, mostly invalid for a schema. */
export const hostileValue: Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(...hostileNumbers, null, true, false, [], {}),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(60, 3_000).map((depth) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown),
);

/** Values that mostly match a schema, so that requests pass the validation. */
export function valueOf(schema: Schema, resolve: Resolve, uuids: readonly string[]): Arbitrary<unknown> {
  return fc.oneof(
    { weight: 6, arbitrary: fittingValue(resolve(schema), resolve, uuids) },
    { weight: 1, arbitrary: hostileValue },
  );
}

function fittingValue(schema: Schema, resolve: Resolve, uuids: readonly string[]): Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valueOf(choice, resolve, uuids)));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? 'string'].flat();
  return fc.oneof(...types.map((type) => valueOfType(type, schema, resolve, uuids)));
}

function valueOfType(type: string, schema: Schema, resolve: Resolve, uuids: readonly string[]): Arbitrary<unknown> {
  switch (type) {
    case 'integer':
      return fc.integer({
        min: Math.max(schema.minimum ?? -1000, -(2 ** 31)),
        max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1),
      });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, resolve, uuids), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      });
    case 'object':
      return objectOf(schema, resolve, uuids);
    default:
      return textOf(schema, uuids);
  }
}

function objectOf(schema: Schema, resolve: Resolve, uuids: readonly string[]): Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) {
    const member = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
    return fc.dictionary(hostileText, valueOf(member, resolve, uuids), { maxKeys: 4 });
  }
  const requiredKeys = schema.required ?? [];
  return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, valueOf(field, resolve, uuids)])), {
    requiredKeys,
  });
}

function textOf(schema: Schema, uuids: readonly string[]): Arbitrary<string> {
  if (schema.format === 'uuid') return fc.oneof(fc.uuid(), fc.constantFrom(...uuids));
  if (schema.format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (schema.format === 'email') return fc.emailAddress();
  const minLength = Math.min(schema.minLength ?? 0, 1_000);
  const maxLength = Math.max(minLength, Math.min(schema.maxLength ?? 60, 60));
  return fc.string({ unit: 'grapheme', minLength, maxLength });
}
