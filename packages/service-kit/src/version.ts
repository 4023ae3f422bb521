import { createRequire } from 'node:module';

/** The product's version: one number for all packages. */
export const version = (createRequire(import.meta.url)('../package.json') as { version: string }).version;
