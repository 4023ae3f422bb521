import { describe, expect, it } from '@jest/globals';
import { unprivilegedUser } from './binaries.ts';

const nobody = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin';

describe('unprivilegedUser', () => {
  it('is the account of the distribution if it exists', () => {
    expect(unprivilegedUser(`${nobody}\npostgres:x:101:104::/var/lib/postgresql:/bin/bash\n`)).toEqual({
      uid: 101,
      gid: 104,
    });
  });

  it('is the system user "nobody" otherwise', () => {
    expect(unprivilegedUser(`root:x:0:0::/root:/bin/sh\n${nobody}\n`)).toEqual({ uid: 65_534, gid: 65_534 });
  });
});
