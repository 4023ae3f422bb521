import { element, tags } from '../wire/ber.ts';

/** A search filter as a tree; user input can only be a value in it. */
export type Filter<V = string | Buffer> =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter<V>[] }
  | { readonly kind: 'not'; readonly of: Filter<V> }
  | { readonly kind: 'equal' | 'approx' | 'atLeast' | 'atMost'; readonly attribute: string; readonly value: V }
  | { readonly kind: 'present'; readonly attribute: string }
  | {
      readonly kind: 'substrings';
      readonly attribute: string;
      readonly initial: string;
      readonly any: readonly string[];
      readonly final: string;
    }
  | {
      readonly kind: 'extensible';
      readonly attribute: string;
      readonly rule: string;
      readonly dnAttributes: boolean;
      readonly value: V;
    };

/** `(attribute=value)` */
export function equal(attribute: string, value: string | Buffer): Filter {
  return { kind: 'equal', attribute, value };
}

/** `(attribute=*)` */
export function present(attribute: string): Filter {
  return { kind: 'present', attribute };
}

/** A disjunction; a single filter is returned unchanged. */
export function anyOf(of: readonly Filter[]): Filter {
  return of.length === 1 ? of[0]! : { kind: 'or', of };
}

/** A conjunction. */
export function allOf(of: readonly Filter[]): Filter {
  return { kind: 'and', of };
}

/** A condition that compares an attribute with a value. */
type Comparison<V> = Extract<Filter<V>, { readonly value: V }>;

/** Replaces every comparison with a value; the structure is unchanged. */
export function mapComparisons<A, B>(filter: Filter<A>, change: (comparison: Comparison<A>) => Filter<B>): Filter<B> {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, of: filter.of.map((filter) => mapComparisons(filter, change)) };
    case 'not':
      return { kind: 'not', of: mapComparisons(filter.of, change) };
    case 'present':
    case 'substrings':
      return filter;
    case 'equal':
    case 'approx':
    case 'atLeast':
    case 'atMost':
    case 'extensible':
    default:
      return change(filter);
  }
}

const comparisonTags = { equal: 0xa3, atLeast: 0xa5, atMost: 0xa6, approx: 0xa8 } as const;

/** The filter as a server reads it (RFC 4511, 4.5.1). */
export function encodeFilter(filter: Filter): Buffer {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return element(filter.kind === 'and' ? 0xa0 : 0xa1, ...filter.of.map(encodeFilter));
    case 'not':
      return element(0xa2, encodeFilter(filter.of));
    case 'present':
      return element(0x87, Buffer.from(filter.attribute));
    case 'substrings': {
      const { attribute, initial, any, final } = filter;
      const parts = [
        ...(initial === '' ? [] : [element(0x80, Buffer.from(initial))]),
        ...any.map((part) => element(0x81, Buffer.from(part))),
        ...(final === '' ? [] : [element(0x82, Buffer.from(final))]),
      ];
      return element(0xa4, octets(attribute), element(tags.sequence, ...parts));
    }
    case 'extensible': {
      const { attribute, rule, dnAttributes, value } = filter;
      return element(
        0xa9,
        ...(rule === '' ? [] : [element(0x81, Buffer.from(rule))]),
        ...(attribute === '' ? [] : [element(0x82, Buffer.from(attribute))]),
        element(0x83, bytesOf(value)),
        ...(dnAttributes ? [element(0x84, Buffer.from([0xff]))] : []),
      );
    }
    case 'equal':
    case 'approx':
    case 'atLeast':
    case 'atMost':
    default:
      return element(comparisonTags[filter.kind], octets(filter.attribute), octets(filter.value));
  }
}

function octets(value: string | Buffer): Buffer {
  return element(tags.octets, bytesOf(value));
}

function bytesOf(value: string | Buffer): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : value;
}

/** The filter in the notation of RFC 4515, for display. */
export function filterText(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
      return `(&${filter.of.map(filterText).join('')})`;
    case 'or':
      return `(|${filter.of.map(filterText).join('')})`;
    case 'not':
      return `(!${filterText(filter.of)})`;
    case 'present':
      return `(${filter.attribute}=*)`;
    case 'equal':
      return `(${filter.attribute}=${escaped(filter.value)})`;
    case 'approx':
      return `(${filter.attribute}~=${escaped(filter.value)})`;
    case 'atLeast':
      return `(${filter.attribute}>=${escaped(filter.value)})`;
    case 'atMost':
      return `(${filter.attribute}<=${escaped(filter.value)})`;
    case 'substrings':
      return `(${filter.attribute}=${[filter.initial, ...filter.any, filter.final].map(escaped).join('*')})`;
    case 'extensible':
    default: {
      const { attribute, dnAttributes, rule, value } = filter;
      return `(${attribute}${dnAttributes ? ':dn' : ''}${rule === '' ? '' : `:${rule}`}:=${escaped(value)})`;
    }
  }
}

function escaped(value: string | Buffer): string {
  if (typeof value !== 'string') return value.toString('hex').replace(/../g, String.raw`\$&`);
  return value.replace(/[()*\\\0]/g, (match) => `\\${match.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
