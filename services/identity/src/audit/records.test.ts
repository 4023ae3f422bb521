import { describe, expect, it } from '@jest/globals';
import { exportedColumns, toExportedRow, type AuditRecordObject } from './records.ts';

const record: AuditRecordObject = {
  uuid: '0d7c34a1-9a51-4a3c-93a5-6f5b6f0f1b5c',
  timestamp: '2026-01-01T00:00:00.000Z',
  event_type: 'auth.login.failure',
  outcome: 'failure',
  actor: null,
  actor_name: null,
  user_id: null,
  username: 'maria',
  recipient: null,
  source_ip: '192.0.2.1',
  user_agent: null,
  request_id: null,
  error_code: 'INVALID_CREDENTIALS',
  details: { reason: 'why' },
};

function cellOf(username: string): string {
  return toExportedRow({ ...record, username })[6] ?? '';
}

describe('a row of the exported audit trail', () => {
  it('has a cell for each column, empty where nothing is known', () => {
    const row = toExportedRow(record);
    expect(row).toHaveLength(exportedColumns.length);
    const failed = [record.timestamp, 'auth.login.failure', 'failure', '', '', ''];
    expect(row).toEqual([...failed, 'maria', '192.0.2.1', '', 'INVALID_CREDENTIALS', '{"reason":"why"}', '']);
  });

  it.each([
    ['moves the cursor of a terminal', '\u001b[2Jmaria', '\\u001b[2Jmaria'],
    ['breaks the line', 'a\r\nb\u2028c', 'a\\u000d\\u000ab\\u2028c'],
    ['turns the text around', 'gpj.\u202eexe', 'gpj.\\u202eexe'],
    ['rings', '\u0007', '\\u0007'],
  ])('escapes text that %s', (_what, given, shown) => {
    expect(cellOf(given)).toBe(shown);
  });

  it('does not change letters of any script', () => {
    const names = 'Ünal Ødegård 山田 محمد 👩‍🚀';
    expect(cellOf(names)).toBe(names);
  });

  it('is limited to the cell size of spreadsheets, without splitting a character', () => {
    const long = cellOf('👩'.repeat(600_000));
    expect(long.length).toBeLessThan(32_768);
    expect(long.isWellFormed()).toBe(true);
  });
});
