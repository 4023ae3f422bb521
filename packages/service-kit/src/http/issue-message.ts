import type { z } from 'zod';

type Issue = Parameters<z.core.$ZodErrorMap>[0];

const formats: Readonly<Record<string, string>> = {
  email: 'Enter an e-mail address.',
  url: 'Enter a complete address, such as https://example.org.',
  uuid: 'This isn’t a valid identifier.',
  datetime: 'Enter a date and a time.',
  date: 'Enter a date.',
  time: 'Enter a time.',
  ipv4: 'Enter an IP address.',
  ipv6: 'Enter an IP address.',
  cidrv4: 'Enter a network, such as 10.0.0.0/8.',
  cidrv6: 'Enter a network, such as fd00::/8.',
};
const types: Readonly<Record<string, string>> = {
  string: 'Enter a text.',
  number: 'Enter a number.',
  int: 'Enter a whole number.',
  boolean: 'Choose yes or no.',
  array: 'This must be a list.',
};

/** The message of a value that a schema refuses. It is shown at the field, so it says what to enter. */
export function issueMessage(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'This is required.' : (types[issue.expected] ?? unexpected);
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
    case 'invalid_format':
      return formats[issue.format] ?? 'This isn’t in the right form.';
    case 'not_multiple_of':
      return `Enter a multiple of ${issue.divisor}.`;
    case 'invalid_value':
      return issue.input === undefined ? 'This is required.' : 'This value isn’t available here.';
    case 'unrecognized_keys':
      return `There is no field ${issue.keys.join(', ')}.`;
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
    default:
      return unexpected;
  }
}

const unexpected = 'This value isn’t valid.';

function tooSmall({ origin, minimum, inclusive }: Extract<Issue, { code: 'too_small' }>): string {
  const least = written(minimum);
  if (origin === 'string') return minimum === 1 ? 'This is required.' : `Use at least ${least} characters.`;
  if (isList(origin)) return minimum === 1 ? 'Choose at least one.' : `Choose at least ${least}.`;
  return inclusive ? `Enter ${least} or more.` : `Enter more than ${least}.`;
}

function tooBig({ origin, maximum, inclusive }: Extract<Issue, { code: 'too_big' }>): string {
  const most = written(maximum);
  if (origin === 'string') return `Use at most ${most} ${maximum === 1 ? 'character' : 'characters'}.`;
  if (isList(origin)) return `Choose at most ${most}.`;
  return inclusive ? `Enter ${most} or less.` : `Enter less than ${most}.`;
}

function isList(origin: string): boolean {
  return origin === 'array' || origin === 'set' || origin === 'map' || origin === 'object';
}

function written(limit: number | bigint): string {
  return limit.toLocaleString('en');
}
