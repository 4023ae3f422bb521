import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@overtone/client';
import { shouldRetry } from './query-client.ts';

function failure(status: number, waitedMs: number): ApiError {
  return Object.assign(new ApiError(status, {}), { waitedMs });
}

describe('shouldRetry', () => {
  it.each([0, 500, 502, 503])('repeats a query twice after a quick failure with status %p', (status) =>
    expect([0, 1, 2].map((failures) => shouldRetry(failures, failure(status, 50)))).toEqual([true, true, false]),
  );
  it('does not repeat a query that failed after a timeout, so that its message is not delayed', () =>
    expect(shouldRetry(0, failure(503, 4_000))).toBe(false));
  it.each([400, 404, 422, 429])('does not repeat a query that was refused with status %p', (status) =>
    expect(shouldRetry(0, failure(status, 50))).toBe(false),
  );
});
