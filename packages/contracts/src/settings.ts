import { z } from 'zod';
import { text, time } from './http.ts';

/** Where an effective value comes from. A stored value takes precedence over the environment, both over the default. */
export const settingSources = ['default', 'environment', 'stored', 'computed'] as const;
export type SettingSource = (typeof settingSources)[number];
export const settingUnits = ['seconds', 'tasks', 'speakers', 'requests', 'MB/s', 'percent'] as const;

export const settingValue = z.union([z.boolean(), z.number(), z.string(), z.array(z.string()), z.null()]);
/** What a form needs to show one setting. */
const settingForm = z.object({
  type: z.enum(['boolean', 'integer', 'number', 'choice', 'choices', 'text', 'secret']),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  /** The longest text. */
  max_length: z.int().optional(),
  choices: z.array(z.string()).optional(),
  /** True: `auto` is allowed next to a number. */
  automatic: z.boolean().optional(),
  unit: z.enum(settingUnits).optional(),
});
type Form = z.infer<typeof settingForm>;

export type SettingDef<V = unknown> = {
  readonly schema: z.ZodType<V>;
  /** Reads the value of the environment variable. */
  readonly fromText: z.ZodType<V>;
  readonly default: V;
  /** The environment variable that is used while nothing is stored. */
  readonly variable: string | null;
  readonly form: Form;
};
type SecretDef = SettingDef<string | null> & { readonly form: { readonly type: 'secret' } };
type Options<V> = { default: V; variable?: string };
type NumberOptions<V> = Options<V> & {
  range: readonly [min: number, max: number];
  unit?: (typeof settingUnits)[number];
};

function defineNumber<V extends number | 'auto'>(
  { default: initial, variable, range: [minimum, maximum], unit }: NumberOptions<V>,
  { integer, automatic }: { integer: boolean; automatic: boolean },
): SettingDef<V> {
  const rule = rangeRule(integer, minimum, maximum);
  const number = (integer ? z.int(rule) : z.number(rule)).min(minimum, rule).max(maximum, rule);
  const coerced = z.coerce.number(rule).pipe(number);
  const type = integer ? 'integer' : 'number';
  return {
    schema: (automatic ? z.union([z.literal('auto'), number], rule) : number) as unknown as z.ZodType<V>,
    fromText: (automatic
      ? z.union([z.literal('auto'), coerced], rule).describe(numberOrAuto(integer, minimum, maximum))
      : coerced) as unknown as z.ZodType<V>,
    default: initial,
    variable: variable ?? null,
    form: { type, minimum, maximum, ...(automatic ? { automatic } : {}), ...(unit === undefined ? {} : { unit }) },
  };
}

/** The message of every value that a number setting does not accept. */
function rangeRule(integer: boolean, minimum: number, maximum: number): string {
  const [from, to] = [minimum, maximum].map((bound) => bound.toLocaleString('en'));
  return `Enter a ${integer ? 'whole number' : 'number'} from ${from} to ${to}.`;
}

function numberOrAuto(integer: boolean, minimum: number, maximum: number): string {
  return `a ${integer ? 'whole number' : 'number'} from ${minimum} to ${maximum}, or auto`;
}

/** The kinds of settings. */
export const setting = {
  flag: ({ default: initial, variable }: Options<boolean>): SettingDef<boolean> => ({
    schema: z.boolean(),
    fromText: z.stringbool(),
    default: initial,
    variable: variable ?? null,
    form: { type: 'boolean' },
  }),
  count: (options: NumberOptions<number>) => defineNumber(options, { integer: true, automatic: false }),
  countOrAuto: (options: NumberOptions<number | 'auto'>) => defineNumber(options, { integer: true, automatic: true }),
  measure: (options: NumberOptions<number>) => defineNumber(options, { integer: false, automatic: false }),
  choice: <const C extends string>({
    default: initial,
    variable,
    choices,
  }: Options<NoInfer<C>> & { choices: readonly C[] }): SettingDef<C> => {
    const schema = z.enum(choices as [C, ...C[]]) as unknown as z.ZodType<C>;
    return {
      schema,
      fromText: schema,
      default: initial,
      variable: variable ?? null,
      form: { type: 'choice', choices: [...choices] },
    };
  },
  /** Any number of some choices; their order has no meaning. */
  choices: <const C extends string>({
    default: initial,
    choices,
  }: {
    default: readonly NoInfer<C>[];
    choices: readonly C[];
  }): SettingDef<C[]> => {
    const schema: z.ZodType<C[]> = z.array(z.enum(choices as [C, ...C[]])).max(choices.length);
    return {
      schema,
      fromText: schema,
      default: [...initial],
      variable: null,
      form: { type: 'choices', choices: [...choices] },
    };
  },
  /** A text with a rule of its own. */
  line: <V extends string>(
    schema: z.ZodType<V>,
    { default: initial, max }: { default: V; max: number },
  ): SettingDef<V> => ({
    schema,
    fromText: schema,
    default: initial,
    variable: null,
    form: { type: 'text', max_length: max },
  }),
  /** Stored sealed and never returned; null: not set. */
  secret: ({ min = 1, max = 1_024 }: { min?: number; max?: number } = {}): SecretDef => {
    const schema = text(max).min(min).nullable();
    return { schema, fromText: schema, default: null, variable: null, form: { type: 'secret', max_length: max } };
  },
  /** A list that a page of its own edits; its default is empty. */
  list: <V extends readonly unknown[]>(schema: z.ZodType<V>): SettingDef<V> => ({
    schema,
    fromText: schema,
    default: [] as unknown as V,
    variable: null,
    form: { type: 'text' },
  }),
  /** The same setting with `null` for "none"; null is the default. */
  optional: <V>(def: SettingDef<V>): SettingDef<V | null> => ({
    ...def,
    schema: def.schema.nullable(),
    fromText: def.fromText.nullable(),
    default: null,
  }),
};

export type SettingFields = Readonly<Record<string, SettingDef<never>>>;
/** A group of settings that is stored and changed together. */
export type Settings<F = SettingFields> = {
  /** Unique in its store: the prefix of the stored keys. */
  readonly name: string;
  readonly fields: F;
};
type ValueOf<D> = D extends SettingDef<infer V> ? V : never;
/** The value of every setting of a group; secrets in plain text. */
export type SettingValues<G> = G extends Settings<infer F> ? { [K in keyof F]: ValueOf<F[K]> } : never;
/** Undefined leaves a setting, null removes its stored value. */
export type SettingChanges<G> = { [K in keyof SettingValues<G>]?: SettingValues<G>[K] | null | undefined };

export function defineSettings<const F extends Readonly<Record<string, { readonly form: Form }>>>(
  name: string,
  fields: F,
): Settings<F> {
  return { name, fields };
}

/** The defaults of a group. */
export function defaultsOf<G extends Settings<object>>({ fields }: G): SettingValues<G> {
  return mapFields(fields, (def) => def.default) as SettingValues<G>;
}

/** The values that differ from the defaults: what counts as stored in a table that contains all values of a group. */
export function differencesOf<G extends Settings<object>>(
  { fields }: G,
  values: SettingValues<G>,
): Partial<SettingValues<G>> {
  const defs = fields as Readonly<Record<string, SettingDef>>;
  const different = Object.entries(values).filter(([key, value]) => !isSame(value, defs[key]?.default));
  return Object.fromEntries(different) as Partial<SettingValues<G>>;
}

/** The order of choices has no meaning. */
function isSame(value: unknown, other: unknown): boolean {
  if (!Array.isArray(value) || !Array.isArray(other)) return value === other;
  return value.length === other.length && value.every((item) => other.includes(item));
}

/** The names of the secrets of a group. */
export function secretsOf({ fields }: Settings<object>): string[] {
  return Object.entries(fields as SettingFields).flatMap(([key, { form }]) => (form.type === 'secret' ? [key] : []));
}

/** The body of a change: a part of the group, null removes a stored value. */
export function settingChanges<G extends Settings<object>>({
  fields,
}: G): z.ZodType<SettingChanges<G>, SettingChanges<G>> {
  const schema: unknown = z.strictObject(mapFields(fields, (def) => def.schema.nullable().optional()));
  return schema as z.ZodType<SettingChanges<G>, SettingChanges<G>>;
}

/** The values of a group as one object. */
export function settingValues<G extends Settings<object>>({ fields }: G): z.ZodType<SettingValues<G>> {
  const schema: unknown = z.object(mapFields(fields, (def) => def.schema));
  return schema as z.ZodType<SettingValues<G>>;
}

type FieldsOf<G> = G extends Settings<infer F> ? F : never;
type SecretKey<G> = {
  [K in keyof FieldsOf<G>]: FieldsOf<G>[K] extends SecretDef ? K & string : never;
}[keyof FieldsOf<G>];
/** The settings of a group without its secrets. */
export type PlainSettings<G> = Omit<SettingValues<G>, SecretKey<G>>;

/** The environment variables of a group, for the environment of the process that uses it. */
export function settingVariables({ fields }: Settings<object>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.values(fields as SettingFields).flatMap(({ variable, fromText }) =>
      variable === null ? [] : [[variable, fromText.optional()]],
    ),
  );
}

export type Sourced = { value: z.infer<typeof settingValue>; source: SettingSource };
/** The effective values of a group and their sources: stored, else from the environment, else the default. */
export function effectiveSettings<G extends Settings<object>>(
  { fields }: G,
  {
    stored,
    environment,
  }: { stored: Readonly<Record<string, unknown>>; environment: Readonly<Record<string, unknown>> },
): { values: SettingValues<G>; report: Record<string, Sourced> } {
  const report = mapFields(fields, ({ schema, variable, ...def }, key): Sourced => {
    const kept = schema.safeParse(stored[key]);
    if (key in stored && kept.success) return { value: kept.data as Sourced['value'], source: 'stored' };
    const given = variable === null ? undefined : environment[variable];
    if (given !== undefined) return { value: given as Sourced['value'], source: 'environment' };
    return { value: def.default as Sourced['value'], source: 'default' };
  });
  const values = Object.fromEntries(Object.entries(report).map(([key, { value }]) => [key, value]));
  return { values: values as SettingValues<G>, report };
}

/** One setting, as the routes of all groups answer it. */
export const settingItem = settingForm.extend({
  key: z.string(),
  /** The effective value; null for a secret. */
  value: settingValue,
  source: z.enum(settingSources),
  default_value: settingValue,
  /** What the environment says; null: nothing. */
  environment_value: settingValue,
  variable: z.string().nullable(),
  /** Whether a value is stored, for secrets too. */
  is_set: z.boolean(),
  updated_at: time.nullable(),
  updated_by: z.string().nullable(),
});
export type SettingItem = z.infer<typeof settingItem>;
/** What the routes that show and change a group answer; they may add what else their page shows. */
export const settingsAnswer = z.object({ settings: z.array(settingItem) });

type StoredValues = {
  values: object;
  changes: Readonly<Record<string, { at: Date; by: string | null }>>;
};
/** A group for its form. */
export function toSettingItems(
  group: Settings<object>,
  { values, changes }: StoredValues,
  environment: Readonly<Record<string, unknown>> = {},
): SettingItem[] {
  const stored = values as Readonly<Record<string, unknown>>;
  const { report } = effectiveSettings(group, { stored, environment });
  return Object.entries(group.fields as SettingFields).map(([key, { form, variable, ...def }]) => {
    const secret = form.type === 'secret';
    const given = variable === null ? null : (environment[variable] ?? null);
    return {
      key,
      ...form,
      ...(secret ? { value: null, source: stored[key] == null ? 'default' : 'stored' } : report[key]!),
      default_value: def.default,
      environment_value: given as Sourced['value'],
      variable,
      is_set: stored[key] !== undefined && stored[key] !== null,
      updated_at: changes[key]?.at.toISOString() ?? null,
      updated_by: changes[key]?.by ?? null,
    };
  });
}

function mapFields<T>(fields: object, map: (def: SettingDef, key: string) => T): Record<string, T> {
  return Object.fromEntries(
    Object.entries(fields as Readonly<Record<string, SettingDef>>).map(([key, def]) => [key, map(def, key)]),
  );
}
