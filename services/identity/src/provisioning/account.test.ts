import { describe, expect, it } from '@jest/globals';
import { authTypes } from '@overtone/contracts';
import { hasNoLocalPassword, mayUseLocalPassword } from './account.ts';

describe('the right to sign in with a local password', () => {
  it('is decided for every kind of account, with and without allow_local_fallback', () => {
    const table = authTypes.map((authType) => [
      authType,
      hasNoLocalPassword({ authType }),
      mayUseLocalPassword({ authType, allowLocalFallback: false }),
      mayUseLocalPassword({ authType, allowLocalFallback: true }),
    ]);
    expect(table).toEqual([
      ['local', false, true, true],
      ['ldap', true, false, false],
      ['oidc', false, false, true],
      ['pki', false, false, true],
      ['proxy', true, false, false],
    ]);
  });
});
