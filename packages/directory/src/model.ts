/** How a directory is reached and read; the effective `ldap_*` settings. */
export interface DirectoryConfig {
  /** `host`, `ldap://host`, `ldaps://host[:port]`, or several separated by spaces, tried in order. */
  readonly server: string;
  readonly port: number;
  readonly useSsl: boolean;
  readonly useTls: boolean;
  readonly bindDn: string | null;
  readonly bindPassword: string | null;
  readonly searchBase: string;
  readonly usernameAttr: string;
  readonly emailAttr: string;
  readonly nameAttr: string;
  readonly groupAttr: string;
  /** A filter with `{username_attr}` and `{username}`. */
  readonly userSearchFilter: string;
  readonly timeoutSeconds: number;
  readonly recursiveGroups: boolean;
  /** Required groups for admission, as typed; see `parseDnList`. */
  readonly userGroups: string;
  readonly adminGroups: string;
  /** Login names that are administrators, separated by commas. */
  readonly adminUsers: string;
  /** Certificates (PEM) trusted besides the system's. */
  readonly caPem: string | null;
}

/** A setting that cannot work; `key` is its `auth_config` key. */
export interface ConfigFault {
  readonly key: string;
  readonly message: string;
}

/** The groups a directory asserts (DNs). What could not be read is unknown, never empty. */
export type Claims =
  { readonly known: true; readonly values: readonly string[] } | { readonly known: false; readonly reason: string };

/** A question whose answer may be missing. */
export type Tristate = 'yes' | 'no' | 'unknown';

/** What the directory says of an account besides its password. */
export interface AccountState {
  readonly signIn: 'allowed' | 'refused';
  readonly reason: null | 'disabled' | 'expired' | 'locked' | 'password_expired' | 'must_change_password';
  /** Disabled or expired by an administrator; a lock or an old password never counts. */
  readonly disabled: boolean;
}

/** One entry that a login names. */
export interface Person {
  readonly dn: string;
  /** The value of the username attribute, in the directory's own spelling. */
  readonly login: string;
  readonly email: string | null;
  readonly name: string;
  /** What survives renaming and moving, with the attribute it is from: `entryUUID:...`. */
  readonly immutableId: string | null;
  readonly groups: Claims;
  readonly admitted: Tristate;
  readonly adminSignal: Tristate;
  readonly state: AccountState;
}

/** Why the directory says no. */
export type NoReason =
  | 'not_found'
  | 'ambiguous'
  | 'wrong_password'
  | 'no_email'
  | 'not_admitted'
  | 'account_disabled'
  | 'account_expired'
  | 'account_locked'
  | 'password_expired';

/** Why there is no answer. */
export type UnknownReason =
  | 'config'
  | 'unreachable'
  | 'tls_failed'
  | 'bind_failed'
  | 'timeout'
  | 'busy'
  | 'referral'
  | 'limit'
  | 'protocol'
  | 'refused'
  | 'groups_unreadable';

/** Yes, no, or unknown: an error is never a no. */
export type Answer<T> =
  | { readonly outcome: 'yes'; readonly value: T }
  | { readonly outcome: 'no'; readonly reason: NoReason; readonly message: string; readonly person?: Person }
  | { readonly outcome: 'unknown'; readonly reason: UnknownReason; readonly message: string };

/** One step of the connection test. */
export interface Step {
  readonly code: string;
  readonly title: string;
  readonly ok: boolean;
  readonly duration_ms: number;
  /** What was seen. */
  readonly evidence: string;
  /** What to do; also set where it works, but something is worth knowing. */
  readonly advice: string | null;
}

/** What the server says of itself. */
export interface ServerInfo {
  readonly vendor_name: string | null;
  readonly vendor_version: string | null;
  readonly naming_contexts: readonly string[];
}

/** The connection test: the steps in order up to the first that everything after it needs. */
export interface Diagnosis {
  readonly ok: boolean;
  readonly steps: readonly Step[];
  readonly server_info: ServerInfo | null;
}

/** One directory, with its connections. */
export interface Directory {
  /** Finds the entry as the service account, then binds as what was found. */
  readonly authenticate: (login: string, password: string) => Promise<Answer<Person>>;
  /** The same person without a password. */
  readonly lookUp: (login: string) => Promise<Answer<Person>>;
  readonly diagnose: () => Promise<Diagnosis>;
  readonly close: () => Promise<void>;
}
