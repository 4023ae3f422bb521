import type { PasswordHasher } from '@overtone/service-kit/argon2';
import type { Db } from '../database.ts';
import type { Settings } from '../live-settings.ts';
import {
  historyLength,
  passwordFaults,
  passwordRejected,
  type NewPasswords,
  type PasswordHistory,
  type PasswordPolicy,
} from './passwords.ts';

type Deps = { db: Db; hasher: PasswordHasher; settings: Settings<PasswordPolicy & PasswordHistory> };

export function createNewPasswords({ db, hasher, settings }: Deps): NewPasswords {
  const earlierHashes = async (userId: string, take: number): Promise<string[]> => {
    const rows = await db.passwordHistory.findMany({ where: { userId }, orderBy: { createdAt: 'desc' }, take });
    return rows.map((row) => row.passwordHash);
  };

  const usedBefore = async (password: string, owner: { id: string; passwordHash: string | null }): Promise<boolean> => {
    const length = historyLength(settings.current());
    if (length === 0) return false;
    const now = owner.passwordHash === null ? [] : [owner.passwordHash];
    for (const hash of [...now, ...(await earlierHashes(owner.id, length - now.length))])
      if (await hasher.verify(hash, password)) return true;
    return false;
  };

  return {
    hash: async (password, owner, path = 'password') => {
      const faults = passwordFaults(password, owner, settings.current());
      if (faults.length > 0) throw passwordRejected(path, faults);
      if (owner.account && (await usedBefore(password, owner.account)))
        throw passwordRejected(path, ['It has been used before.']);
      return hasher.hash(password);
    },
  };
}
