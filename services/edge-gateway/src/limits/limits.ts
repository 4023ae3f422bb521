import { authSettings, identityRoutes, mediaRoutes, userRoutes } from '@overtone/contracts';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { refusals } from '../refusals/refusals.ts';
import type { Cache } from './cache.ts';

export type Limits = {
  /** Sign-in attempts of one client address; one budget for all replicas. @throws AppError rate_limited. */
  signIn: (address: string) => Promise<void>;
  /** A new limit counts at once, and what was counted stays counted; null: there is none. */
  setSignInPerMinute: (attempts: number | null) => void;
  /** Everything else, per session. Counted in this process: the limit keeps one caller from drowning the others. */
  session: (sessionId: string) => Promise<void> | undefined;
  anonymous: (address: string) => Promise<void> | undefined;
};
export type LimitOptions = { sessionPerMinute: number; anonymousPerMinute: number };

type Limiter = { consume: (key: string) => Promise<RateLimiterRes> };
const minute = 60;

/** Routes for sign-in, registration, invitations and passwords of public links: one budget for all of them. */
const attempts: ReadonlySet<unknown> = new Set([
  identityRoutes.token,
  identityRoutes.oidcCallback,
  identityRoutes.pkiAuthenticate,
  identityRoutes.proxyAuthenticate,
  userRoutes.register,
  userRoutes.openInvitation,
  userRoutes.acceptInvitation,
  mediaRoutes.unlockPublicLink,
]);

export function isSignInAttempt(route: unknown): boolean {
  return attempts.has(route);
}

async function consume(limiter: Limiter, key: string, cache?: Pick<Cache, 'count'>): Promise<void> {
  try {
    const { isFirstInDuration } = await limiter.consume(key);
    cache?.count(isFirstInDuration ? 'miss' : 'hit');
  } catch (error) {
    // Anything else is Redis being away.
    if (!(error instanceof RateLimiterRes)) return;
    cache?.count('hit');
    throw refusals.tooManyRequests(Math.max(1, Math.ceil(error.msBeforeNext / 1000)));
  }
}

/**
 * Sign-in is counted here and in Redis: the one count is shared by all replicas, the other holds while Redis is away,
 * and neither starts from nothing when Redis comes or goes.
 */
export function createLimits(cache: Cache | undefined, { sessionPerMinute, anonymousPerMinute }: LimitOptions): Limits {
  let signInPerMinute: number | null = authSettings.rate_limit_auth_per_minute.default;
  const here = new RateLimiterMemory({ points: signInPerMinute, duration: minute });
  const shared =
    cache &&
    new RateLimiterRedis({
      storeClient: cache.redis,
      keyPrefix: 'limit:sign-in',
      points: signInPerMinute,
      duration: minute,
      rejectIfRedisNotReady: true,
    });
  const perMinute = (points: number) => {
    if (points === 0) return () => undefined;
    const limiter = new RateLimiterMemory({ points, duration: minute });
    return (key: string) => consume(limiter, key);
  };
  return {
    setSignInPerMinute: (attempts) => {
      signInPerMinute = attempts;
      for (const limiter of [here, shared]) if (limiter && attempts !== null) limiter.points = attempts;
    },
    signIn: async (address) => {
      if (signInPerMinute === null) return;
      await consume(here, address);
      if (shared) await consume(shared, address, cache);
    },
    session: perMinute(sessionPerMinute),
    anonymous: perMinute(anonymousPerMinute),
  };
}
