export type { Clock } from './read/clock.ts';
export { configFaults } from './config-faults.ts';
export { createDirectory } from './directory.ts';
export { ldapClaimKey } from './dn/claim-key.ts';
export { canonicalDn, sameDn, tryCanonicalDn } from './dn/dn.ts';
export { parseDnList } from './dn/dn-list.ts';
export { explain, type Explained } from './diagnose/explain.ts';
export {
  compileMappings,
  reconcileAccount,
  type Asserted,
  type ClaimSource,
  type MappedAccount,
  type MappingIndex,
  type MappingRule,
  type Reconciliation,
  type Resolution,
} from './mapping/group-mapping.ts';
export type {
  AccountState,
  Answer,
  Claims,
  ConfigFault,
  Diagnosis,
  Directory,
  DirectoryConfig,
  NoReason,
  Person,
  ServerInfo,
  Step,
  Tristate,
  UnknownReason,
} from './model.ts';
export { recheckPeople, type PersonKey } from './read/recheck.ts';
export { readSnapshot, type DirectorySnapshot } from './read/read-snapshot.ts';
export type { SnapshotPerson } from './read/snapshot-people.ts';
