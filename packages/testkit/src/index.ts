export { findPostgresBin, freePort, type NatsUser } from '@overtone/cli/servers';
export { assertionKeys } from './product.ts';
export { createDatabase, type TestDatabase } from './database.ts';
export { startFaultyProxy, type FaultyProxy, type LineFault } from './faulty-proxy.ts';
export { startNats, startPostgres, startRedis, type TestServer } from './servers.ts';
export { groupLdif, ldapSettings, personLdif, startSlapd, type Slapd, type SlapdOptions } from './slapd.ts';
export { waitFor } from './wait.ts';
export { wavHeader } from './wav.ts';
export { watchSourceOf } from './watch-source.ts';
