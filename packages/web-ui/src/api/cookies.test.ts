import { expect, it } from '@jest/globals';
import { csrfToken } from './cookies.ts';

it('finds the CSRF token among other cookies', () => expect(csrfToken('a=1; csrf_token=x%3Dy; b=2')).toBe('x=y'));
it('does not take a cookie whose name only ends like it', () => expect(csrfToken('not_csrf_token=1')).toBe(''));
it('is empty without one', () => expect(csrfToken('')).toBe(''));
