import assert from 'node:assert/strict';

/** A request during an outage and its expected response. */
export type ExpectedResponse = {
  name: string;
  send: () => Promise<{ status: number; body: unknown }>;
  status: number;
  /** The error code of the problem document. */
  code?: string;
};

/** The edge's own error when a session has left its cache and cannot be checked. */
const sessionCheckFailed = 'Sessions cannot be checked at the moment';

/**
 * Sends all requests concurrently and compares the responses. An error code of a service proves that the service
 * responded: the edge times out after two minutes with its own error code.
 */
export async function assertResponses(
  requests: readonly ExpectedResponse[],
  log: (line: string) => void,
): Promise<void> {
  const checks = requests.map(async ({ name, send, status: expectedStatus, code: expectedCode }) => {
    const startedAt = performance.now();
    const { status, body } = await send();
    const problem = status < 400 ? undefined : (body as { code?: string; detail?: string } | undefined);
    const code = problem?.code;
    if (expectedCode !== 'database_unavailable' || problem?.detail !== sessionCheckFailed)
      assert.deepEqual([status, code], [expectedStatus, expectedCode], name);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    return `${name}: ${[expectedStatus, code].filter(Boolean).join(' ')} after ${seconds} s`;
  });
  for (const line of await Promise.all(checks)) log(line);
}
