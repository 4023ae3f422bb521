import type { AuthSettings } from '@overtone/contracts';

/** The effective sign-in settings, read at every use: a change applies from the next request on. `S`: what the user reads. */
export type Settings<S = AuthSettings> = { current: () => S };
