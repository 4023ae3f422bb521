import { unavailable, type Client } from '@overtone/service-kit';
import type { PasswordHasher } from '@overtone/service-kit/argon2';
import type { Db, Pool } from '../database.ts';
import type { CurrentDirectory } from '../directory/directory.ts';
import type { Settings } from '../live-settings.ts';
import { nameKey, type Lockout } from '../lockout/lockout.ts';
import { mayUseLocalPassword, ownerRefusal, signInRefused, type Provisioning } from '../provisioning/provisioning.ts';
import type { Issued, Sessions } from '../sessions/sessions.ts';
import type { Telemetry } from '../telemetry.ts';
import { createAttempts } from './attempts.service.ts';
import { createDirectoryPassword } from './directory-password.service.ts';
import { createLocalPassword } from './local-password.service.ts';
import type { Pace } from './pace.ts';
import { createRestoredDatabase } from './restored-database.ts';
import {
  addWork,
  isBlank,
  type FoundAttempt,
  type PasswordResult,
  type Refusal,
  type SignInAttempt,
  type SignInRequest,
} from './sign-in.ts';
import { signInStore } from './sign-in.store.ts';

export type SignInDeps = {
  db: Db;
  pool: Pool;
  hasher: PasswordHasher;
  lockout: Lockout;
  sessions: Sessions;
  settings: Settings;
  directory: CurrentDirectory;
  provisioning: Provisioning;
  pace: Pace;
  telemetry: Pick<Telemetry, 'lockouts'>;
};

/** Lower than the queue limit of the password hashes: whether a sign-in is rejected as busy never depends on the name. */
const maxConcurrentSignIns = 180;

/** Signs in with a name and a password. Every refusal takes the same time and has the same response, but for the owner. */
export function createSignIn(deps: SignInDeps) {
  const { pace } = deps;
  const checkPassword = createPasswordCheck(deps);
  let running = 0;

  const withinCapacity = async (request: SignInRequest): Promise<PasswordResult> => {
    if (running >= maxConcurrentSignIns)
      throw unavailable('service_unavailable', 'Too many sign-ins at once', { retryAfterSeconds: 5 });
    running += 1;
    try {
      return await checkPassword(request);
    } finally {
      running -= 1;
    }
  };

  return {
    withPassword: async (username: string, password: string, client: Client): Promise<Issued> => {
      const started = pace.start();
      const result = await withinCapacity({ typed: username.trim(), password, client });
      if (result.outcome === 'signed_in') return result.issued;
      const state = ownerRefusal(result.errorCode);
      if (state) throw state;
      await pace.refuse(started, result.work);
      throw signInRefused();
    },
  };
}

/** The steps of a sign-in, in their order. Each step refuses the attempt or passes it on with what it has found. */
function createPasswordCheck(deps: SignInDeps) {
  const { pool, hasher, settings } = deps;
  const attempts = createAttempts(deps);
  const local = createLocalPassword({ ...deps, attempts });
  const directory = createDirectoryPassword({ ...deps, attempts, restored: createRestoredDatabase(deps) });
  const { refuse } = attempts;

  /** After the same work as for an account that has a password. */
  const refuseWithoutHash = async (attempt: SignInAttempt, refusal: Refusal): Promise<PasswordResult> => {
    await hasher.pretend(attempt.password);
    return refuse(addWork(attempt, 'hash'), refusal);
  };

  const checkAccount = async (found: FoundAttempt): Promise<PasswordResult> => {
    const hash = hashOf(found, settings.current());
    const attempt = hash === null ? found : addWork(found, 'hash');
    if (hash !== null && (await local.matches(hash, attempt))) return local.open(attempt, hash);
    if (settings.current().ldap_enabled) return directory.check(attempt);
    if (hash !== null) return refuse(attempt, { errorCode: 'INVALID_CREDENTIALS', method: 'local' });
    const reason = `the account signs in by: ${attempt.account.authType}`;
    return refuseWithoutHash(attempt, { errorCode: 'METHOD_OFF', reason });
  };

  return async (request: SignInRequest): Promise<PasswordResult> => {
    const received: SignInAttempt = { ...request, stage: 'unknown', account: undefined, reservations: [], work: [] };
    if (request.typed === '' || isBlank(request.password))
      return refuse(received, { errorCode: 'INVALID_CREDENTIALS', reason: 'empty' });

    const [account, another] = await signInStore.findByLoginName(pool, request.typed);
    const reason = 'it is the name of one and the address of another account';
    if (another) return refuse(received, { errorCode: 'AMBIGUOUS_NAME', reason });
    if (!account && !settings.current().ldap_enabled)
      return refuseWithoutHash(received, { errorCode: 'INVALID_CREDENTIALS' });

    const named: SignInAttempt = account ? { ...received, stage: 'found', account } : received;
    const key = account?.id ?? nameKey(request.typed);
    return attempts.runExclusively(named, key, () =>
      attempts.reserve(named, { keys: [key] }, (attempt) =>
        attempt.stage === 'found' ? checkAccount(attempt) : directory.checkUnknownName(attempt),
      ),
    );
  };
}

/** The hash to check, for accounts that may sign in with a local password: always so for a super_admin. */
function hashOf({ account }: FoundAttempt, { local_enabled }: { local_enabled: boolean }): string | null {
  const isOpen = local_enabled || account.role === 'super_admin';
  return isOpen && mayUseLocalPassword(account) ? account.passwordHash : null;
}
