import { describe, expect, it } from '@jest/globals';
import type { Tx } from '../database.ts';
import { recordRefusal } from './refusals.ts';

async function recordedDetails(refusal: { reason?: string }): Promise<unknown> {
  const rows: { details: unknown }[] = [];
  const tx = { auditLog: { create: async ({ data }: { data: { details: unknown } }) => void rows.push(data) } };
  const client = { ip: null, userAgent: null, requestId: null };
  await recordRefusal(tx as unknown as Tx, { errorCode: 'PROVIDER_ERROR', client, ...refusal });
  return rows[0]?.details;
}

describe('the record of a refused sign-in', () => {
  it('has the reason that was given, also an empty one', async () => {
    expect(await recordedDetails({ reason: 'access_denied' })).toEqual({ reason: 'access_denied' });
    expect(await recordedDetails({ reason: '' })).toEqual({ reason: '' });
    expect(await recordedDetails({})).toEqual({});
  });
});
