import { describe, expect, it } from '@jest/globals';
import { ApiError, fieldOf, isOutage, problemFrom, wordsOf } from './problem.ts';

describe('problemFrom', () => {
  it('takes words and code of the API', () => {
    const error = problemFrom(409, '{"code":"version_conflict","detail":"Changed since."}', null);
    expect([error.status, error.code, error.message]).toEqual([409, 'version_conflict', 'Changed since.']);
  });
  it('has words of its own for the HTML page of a proxy', () =>
    expect(problemFrom(502, '<html>Bad gateway</html>', null).message).toContain('couldn’t do this'));
  it('reads how long to wait', () => expect(problemFrom(429, '{}', '12').retryAfter).toBe(12));
  it('bears a body that is JSON but no object', () => expect(problemFrom(500, '[1]', null).code).toBe('http_500'));
});

describe('wordsOf', () => {
  it('names the fields that were refused', () =>
    expect(wordsOf(new ApiError(422, { detail: 'Not valid', errors: [{ path: 'title', message: 'too long' }] }))).toBe(
      'Not valid (title: too long)',
    ));
});

describe('isOutage', () => {
  it.each([
    [0, true],
    [503, true],
    [429, true],
    [404, false],
    [422, false],
  ])('of status %p is %p', (status, outage) => expect(isOutage(new ApiError(status, {}))).toBe(outage));
});

describe('fieldOf', () => {
  const error = new ApiError(422, { errors: [{ path: 'email', message: 'no address' }] });
  it('finds what is said of a field', () => expect(fieldOf(error, 'email')).toBe('no address'));
  it('is nothing for a field that is fine', () => expect(fieldOf(error, 'name')).toBeNull());
  it('is nothing for an error without fields', () => expect(fieldOf(new Error('x'), 'email')).toBeNull());
});
