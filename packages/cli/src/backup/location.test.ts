import { describe, expect, it } from '@jest/globals';
import { openFile, openPlace } from './location.ts';

describe('a place of backups', () => {
  it.each(['', 'https://example.org/backups', 'S3://bucket', 's3:/bucket', 'file:///backups'])(
    'is refused when it is neither a folder nor a bucket: %s',
    (place) => expect(() => openPlace(place)).toThrow('is neither a folder nor s3://bucket/prefix'),
  );

  it('in a bucket needs the server and its keys', () =>
    expect(() => openPlace('s3://bucket/prefix')).toThrow('needs OT_BACKUP_S3_ENDPOINT'));

  it('is the folder of a named file', () => {
    const { destination, name } = openFile('/backups/a.dump');
    expect([destination.place, name]).toEqual(['/backups', 'a.dump']);
  });
});
