export type { Clock } from './clock.ts';
export { configFaults } from './config-faults.ts';
export { createDirectory } from './directory.ts';
export { canonicalDn, sameDn } from './dn.ts';
export { parseDnList } from './dn-list.ts';
export { explain, type Explained } from './explain.ts';
export {
  compileMappings,
  ldapClaimKey,
  type ClaimSource,
  type MappingIndex,
  type MappingRule,
  type Resolution,
} from './group-mapping.ts';
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
export { reconcileAccount, type Asserted, type Reconciliation, type MappedAccount } from './reconciliation.ts';
export { recheckPeople, type PersonKey } from './recheck.ts';
export { readSnapshot, type DirectorySnapshot } from './read-snapshot.ts';
export type { SnapshotPerson } from './snapshot-reader.ts';
