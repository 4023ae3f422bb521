import { describe, expect, it } from '@jest/globals';
import type { Tx } from '../database.ts';
import { writeAudit } from './audit.ts';

async function written(username: string, reason: string) {
  const rows: { username: string; details: Record<string, unknown> }[] = [];
  const tx = { auditLog: { create: async ({ data }: { data: (typeof rows)[number] }) => void rows.push(data) } };
  const client = { ip: null, userAgent: null, requestId: null };
  await writeAudit(tx as unknown as Tx, {
    event: 'auth.login.failure',
    outcome: 'failure',
    username,
    client,
    details: { reason, count: 1 },
  });
  return rows[0];
}

describe('a record', () => {
  it('stores external text in a form that PostgreSQL accepts', async () => {
    const row = await written('a\0b\ud800', 'c\0d');
    expect(row).toMatchObject({ username: 'a\uFFFDb\uFFFD', details: { reason: 'c\uFFFDd', count: 1 } });
  });

  it('limits the length of text, without splitting a character', async () => {
    const row = await written('👩'.repeat(600_000), '👩'.repeat(600_001));
    expect(row?.username.length).toBe(320);
    expect(row?.username.isWellFormed()).toBe(true);
    expect(String(row?.details['reason']).length).toBe(4_000);
  });
});
