import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { z } from 'zod';

/**
 * Encrypts values that a browser keeps for any replica (AES-256-GCM). The key is derived for one purpose, and a value can be
 * opened only under the name that it was sealed with.
 */
export function createSealer<T>(secret: string, purpose: string, shape: z.ZodType<T>) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  return {
    seal: (name: string, value: T): string => {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 16 }).setAAD(Buffer.from(name));
      const body = [cipher.update(JSON.stringify(value)), cipher.final()];
      return Buffer.concat([iv, ...body, cipher.getAuthTag()]).toString('base64url');
    },
    /** @returns undefined for a value that was not sealed here under this name. */
    open: (name: string, sealed: string): T | undefined => {
      try {
        const bytes = Buffer.from(sealed, 'base64url');
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
        decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(-16));
        const text = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString();
        return shape.parse(JSON.parse(text));
      } catch {
        return undefined;
      }
    },
  };
}
