import { readsBody, routes, type RouteDef } from '@overtone/contracts';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { issueMessage } from './issue-message.ts';

const unfit = [
  undefined,
  null,
  '',
  'ä',
  'x'.repeat(100_000),
  -1,
  0,
  0.5,
  1e15,
  true,
  [],
  Array(2_000).fill('x'),
  {},
  { zz: 1 },
];

/** Every value that can be tried in place of a body: wrong ones, and an object that is wrong in one field. */
function wrongBodies(body: z.ZodType): unknown[] {
  const fields = body instanceof z.ZodOptional ? (body as z.ZodOptional<z.ZodType>).unwrap() : body;
  const names = fields instanceof z.ZodObject ? Object.keys(fields.shape) : [];
  return [...unfit, ...names.flatMap((name) => unfit.map((value) => ({ [name]: value })))];
}

function messagesOf(schema: z.ZodType, values: readonly unknown[]): string[] {
  return values
    .flatMap((value) => schema.safeParse(value, { error: issueMessage }).error?.issues ?? [])
    .map(({ message }) => message);
}

describe('issueMessage', () => {
  it.each([
    ['an empty text', z.string().min(1), '', 'This is required.'],
    ['a missing text', z.string(), undefined, 'This is required.'],
    ['a missing choice', z.enum(['a', 'b']), undefined, 'This is required.'],
    ['a short text', z.string().min(12), 'x', 'Use at least 12 characters.'],
    ['a long text', z.string().max(2_000), 'x'.repeat(2_001), 'Use at most 2,000 characters.'],
    ['a small number', z.number().min(3), 2, 'Enter 3 or more.'],
    ['a large number', z.number().max(5), 6, 'Enter 5 or less.'],
    ['a fraction', z.int(), 1.5, 'Enter a whole number.'],
    ['an empty list', z.array(z.string()).min(1), [], 'Choose at least one.'],
    ['a wrong e-mail address', z.email(), 'ada', 'Enter an e-mail address.'],
    ['a wrong web address', z.url(), 'example', 'Enter a complete address, such as https://example.org.'],
    ['a wrong choice', z.enum(['a', 'b']), 'c', 'This value isn’t available here.'],
    ['a text with a rule of its own', z.string().regex(/^\//, 'Begin with a slash.'), 'x', 'Begin with a slash.'],
  ])('says what to enter for %s', (_, schema, value, message) => {
    expect(messagesOf(schema, [value])).toEqual([message]);
  });

  it('has no words of the schema for any body of any route', () => {
    const bodies = routes.filter((route: RouteDef) => readsBody(route) && route.bodyKind !== 'raw');
    const messages = new Set(bodies.flatMap(({ body }: RouteDef) => messagesOf(body, wrongBodies(body))));
    expect(messages.size).toBeGreaterThan(20);
    expect([...messages].filter((message) => /expected|received|[<>]=?\d|pattern|Invalid |NaN/.test(message))).toEqual(
      [],
    );
  });
});
