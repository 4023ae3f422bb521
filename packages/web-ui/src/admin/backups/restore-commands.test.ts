import { describe, expect, it } from '@jest/globals';
import { mirrorCommand, quote, restoreCommands } from './restore-commands.ts';

const folder = {
  destination_type: 'folder' as const,
  destination: '/mnt/backup/',
  s3_endpoint_url: 'https://s3.example.org',
  s3_region: 'eu-central-1',
  s3_bucket: 'kept',
  s3_prefix: 'overtone/one',
  s3_access_key_id: 'AKIA1',
};

describe('restoreCommands', () => {
  it('lists and restores a backup of a folder', () => {
    expect(restoreCommands(folder, { filename: 'overtone-1.dump', encrypted: false }, null)).toEqual([
      './overtone backups --from /mnt/backup',
      './overtone restore /mnt/backup/overtone-1.dump',
    ]);
  });
  it('sets the access to a bucket and the passphrase from files, never the secrets themselves', () => {
    expect(
      restoreCommands(
        { ...folder, destination_type: 's3' },
        { filename: 'overtone-1.dump.age', encrypted: true },
        null,
      ),
    ).toEqual([
      'export OT_BACKUP_S3_ENDPOINT=https://s3.example.org',
      'export OT_BACKUP_S3_REGION=eu-central-1',
      'export OT_BACKUP_S3_ACCESS_KEY_ID=AKIA1',
      'export OT_BACKUP_S3_SECRET_ACCESS_KEY_FILE=secret-key.txt',
      'export OT_BACKUP_PASSPHRASE_FILE=passphrase.txt',
      './overtone backups --from s3://kept/overtone/one',
      './overtone restore s3://kept/overtone/one/overtone-1.dump.age',
    ]);
  });
  it('names a data folder that is not the default one', () => {
    expect(restoreCommands(folder, { filename: 'overtone-1.dump', encrypted: false }, '/srv/my data')).toEqual([
      "./overtone backups --data '/srv/my data' --from /mnt/backup",
      "./overtone restore --data '/srv/my data' /mnt/backup/overtone-1.dump",
    ]);
    expect(mirrorCommand('/srv/one')).toBe('./overtone restore --data /srv/one --media-from-mirror');
  });
  it('addresses a bucket without a prefix', () => {
    expect(
      restoreCommands(
        { ...folder, destination_type: 's3', s3_prefix: '' },
        { filename: 'overtone-1.dump', encrypted: false },
        null,
      ).at(-1),
    ).toBe('./overtone restore s3://kept/overtone-1.dump');
  });
});

describe('quote', () => {
  it.each([
    ['/mnt/backup', '/mnt/backup'],
    ['/mnt/my backups', `'/mnt/my backups'`],
    [`/mnt/a'b; rm x`, `'/mnt/a'\\''b; rm x'`],
    ['/mnt/$(id)', `'/mnt/$(id)'`],
    ['', `''`],
  ])('writes %p as one word of a shell command', (word, text) => expect(quote(word)).toBe(text));
});
