import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceName } from '@overtone/contracts';
import { createAssertionSigner } from '@overtone/service-kit';

const edgeKey = async (data: string): Promise<string> => {
  const files = (await readdir(data, { recursive: true })).filter((f) => /assertion.*(key|pem)|secrets.*json/i.test(f));
  for (const file of files) {
    const text = await readFile(join(data, file), 'utf8').catch(() => '');
    const pem = /-----BEGIN (?:EC )?PRIVATE KEY-----[^-]+-----END (?:EC )?PRIVATE KEY-----/.exec(
      text.replaceAll('\\n', '\n'),
    )?.[0];
    if (pem) return pem;
  }
  throw new Error(`no key of the edge in ${data}`);
};

/** The identity assertion that the edge would send with this caller's request, made with the instance's own key. */
export const assertionOf = async (data: string, service: ServiceName, accessToken: string): Promise<string> => {
  const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()) as {
    sub: string;
    sid: string;
    role: 'user' | 'admin' | 'super_admin';
    exp: number;
  };
  return createAssertionSigner(await edgeKey(data))(service, {
    userId: claims.sub,
    sessionId: claims.sid,
    role: claims.role,
    tokenExpiresAt: claims.exp * 1000,
  });
};
