import type { AuthSettings } from '@overtone/contracts';

/** The sign-in settings in force, read anew at every use: a change counts from the next request on. */
export type Settings = { current: () => AuthSettings };
