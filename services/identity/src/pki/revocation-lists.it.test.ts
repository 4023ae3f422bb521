import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createAuthority } from '@overtone/testkit/certificates';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { startBackends, startIdentity } from '../../test/running-identity.ts';
import { watchDatabase } from '../../test/sessions-of.ts';

const authority = await createAuthority({ subject: { O: 'Example', CN: 'Root' } });
const revoked = await authority.issue({ subject: { O: 'Example', CN: 'Ron Revoked' } });
const good = await authority.issue({ subject: { O: 'Example', CN: 'Gina Good' } });
const list = await authority.revoke([revoked]);
const listServer = createServer((_req, res) => res.end(list));
cleanUpAfterFile(() => listServer.close());
await new Promise<void>((resolve) => listServer.listen(0, '127.0.0.1', resolve));
const listUrl = `http://127.0.0.1:${(listServer.address() as AddressInfo).port}/list.crl`;
const backends = await startBackends();
const database = await watchDatabase(backends.database.url);

function start(softFail: boolean) {
  return startIdentity(backends, {
    PKI_ENABLED: 'true',
    PKI_TRUSTED_PROXIES: '127.0.0.1',
    PKI_CA_CERT: authority.pem,
    PKI_VERIFY_REVOCATION: 'true',
    PKI_REVOCATION_SOFT_FAIL: String(softFail),
    PKI_CRL_URL: listUrl,
    SIGN_IN_REFUSAL_MS: '0',
  });
}

/** Starts identity, signs in with both certificates and stops it. */
async function signInAfterRestart(softFail: boolean) {
  const identity = await start(softFail);
  const { status } = await identity.signInWithCertificate(revoked.pem);
  const refusal = await database.lastRefusal();
  const goodStatus = (await identity.signInWithCertificate(good.pem)).status;
  await identity.stop();
  return { revoked: [status, refusal], good: goodStatus };
}

async function countStored() {
  return (await database.rows<{ count: number }>('select count(*)::int as count from revocation_list'))[0]?.count;
}

describe('a restart while the server of the revocation list is unreachable', () => {
  beforeAll(async () => {
    const identity = await start(true);
    expect((await identity.signInWithCertificate(good.pem)).status).toBe(200);
    await waitFor(async () => (await countStored()) === 1);
    await identity.stop();
    listServer.closeAllConnections();
    await new Promise((resolve) => listServer.close(resolve));
  });

  it.each([true, false])('keeps the valid list in use (soft fail: %s)', async (softFail) => {
    expect(await signInAfterRestart(softFail)).toEqual({ revoked: [401, 'INVALID_CERTIFICATE revoked'], good: 200 });
  });

  describe('and the stored list has expired', () => {
    beforeAll(() => database.rows(`update revocation_list set next_update = now() - interval '1 minute'`));

    it('refuses a certificate on the list and accepts others with soft fail', async () => {
      expect(await signInAfterRestart(true)).toEqual({ revoked: [401, 'INVALID_CERTIFICATE revoked'], good: 200 });
    });

    it('refuses every certificate without soft fail', async () => {
      expect(await signInAfterRestart(false)).toEqual({ revoked: [401, 'INVALID_CERTIFICATE revoked'], good: 401 });
      expect(await database.lastRefusal()).toBe('INVALID_CERTIFICATE revocation_unknown');
    });
  });
});
