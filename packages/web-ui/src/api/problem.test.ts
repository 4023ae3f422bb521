import { describe, expect, it } from '@jest/globals';
import { ApiError, problemFrom } from '@overtone/client';
import { fieldOf, isOutage, messageOf } from './problem.ts';

describe('problemFrom', () => {
  it('takes message and code from the API', () => {
    const error = problemFrom(409, '{"code":"version_conflict","detail":"Changed since."}', null);
    expect([error.status, error.code, error.message]).toEqual([409, 'version_conflict', 'Changed since.']);
  });
  it('reads the seconds to wait from Retry-After', () => expect(problemFrom(429, '{}', '12').retryAfter).toBe(12));
  it('accepts a JSON body that is not an object', () => expect(problemFrom(500, '[1]', null).code).toBe('http_500'));
});

describe('messageOf', () => {
  it('says once what is also the message of a field', () => {
    const detail = 'The current password is wrong.';
    const errors = [{ path: 'current_password', message: detail }];
    expect(messageOf(new ApiError(400, { detail, errors }))).toBe(detail);
  });

  it('names the rejected fields', () =>
    expect(
      messageOf(new ApiError(422, { detail: 'Not valid', errors: [{ path: 'title', message: 'too long' }] })),
    ).toBe('Not valid (Title: too long)'));

  it.each([
    ['display_name', 'Display name: This is required.'],
    ['providers.0.base_url', 'Base url: This is required.'],
    ['user_uuid', 'User: This is required.'],
    ['', 'This is required.'],
  ])('names the field %j of a refused body in words, without the form of the request', (path, message) => {
    const errors = [{ path, message: 'This is required.' }];
    const detail = 'The body does not have the expected form';
    expect(messageOf(new ApiError(422, { code: 'invalid_body', detail, errors }))).toBe(message);
  });

  it('keeps what the server says about a body of the expected form', () => {
    const errors = [{ path: 'text', message: 'must not be empty' }];
    expect(messageOf(new ApiError(422, { code: 'invalid_body', detail: 'A comment needs a text.', errors }))).toBe(
      'A comment needs a text. (Text: must not be empty)',
    );
  });
});

describe('isOutage', () => {
  it.each([
    [0, true],
    [503, true],
    [429, true],
    [404, false],
    [422, false],
  ])('for status %p is %p', (status, outage) => expect(isOutage(new ApiError(status, {}))).toBe(outage));
});

describe('fieldOf', () => {
  const error = new ApiError(422, { errors: [{ path: 'email', message: 'no address' }] });
  it('returns the message of a field', () => expect(fieldOf(error, 'email')).toBe('no address'));
  it('returns null for a field without an error', () => expect(fieldOf(error, 'name')).toBeNull());
  it('returns null for an error without fields', () => expect(fieldOf(new Error('x'), 'email')).toBeNull());
});
