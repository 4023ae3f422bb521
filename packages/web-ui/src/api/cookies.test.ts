import { expect, it } from '@jest/globals';
import { csrfToken } from './cookies.ts';

it('reads the CSRF token among other cookies', () => expect(csrfToken('a=1; csrf_token=x%3Dy; b=2')).toBe('x=y'));
it('ignores a cookie whose name only ends with the name of the CSRF token', () =>
  expect(csrfToken('not_csrf_token=1')).toBe(''));
it('returns an empty CSRF token without a cookie', () => expect(csrfToken('')).toBe(''));
