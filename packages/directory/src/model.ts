/** The connection and schema of a directory: the effective `ldap_*` settings. */
export type DirectoryConfig = {
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
  /** Trusted certificates (PEM) in addition to the system's. */
  readonly caPem: string | null;
};

/** A setting that cannot work; `key` is its `auth_config` key. */
export type ConfigFault = {
  readonly key: string;
  readonly message: string;
};

/** The groups that a directory asserts (DNs). Unreadable groups are unknown, never empty. */
export type Claims =
  { readonly known: true; readonly values: readonly string[] } | { readonly known: false; readonly reason: string };

/** A truth value that may be unknown. */
export type Tristate = 'yes' | 'no' | 'unknown';

/** The state of an account in the directory, apart from its password. `read/account-state.ts` has the rules. */
export type AccountState = {
  readonly signIn: 'allowed' | 'refused';
  readonly reason: null | 'disabled' | 'expired' | 'locked' | 'password_expired' | 'must_change_password';
  /** Disabled or expired by an administrator; a lock or an old password never counts. */
  readonly disabled: boolean;
};

/** The entry of a login. */
export type Person = {
  readonly dn: string;
  /** The value of the username attribute, in the directory's own spelling. */
  readonly login: string;
  readonly email: string | null;
  /** All addresses, in the order of the directory, which may change at any time. */
  readonly emails: readonly string[];
  readonly name: string;
  /** The immutable id with its attribute: `entryUUID:...`. */
  readonly immutableId: string | null;
  readonly groups: Claims;
  readonly admitted: Tristate;
  readonly adminSignal: Tristate;
  readonly state: AccountState;
};

/** The reasons of a no. */
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

/** The reasons of an unknown result. */
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
  | UnknownAnswer;

export type UnknownAnswer = { readonly outcome: 'unknown'; readonly reason: UnknownReason; readonly message: string };

/** One step of the connection test. */
export type Step = {
  readonly code: string;
  readonly title: string;
  readonly ok: boolean;
  readonly duration_ms: number;
  /** The observation. */
  readonly evidence: string;
  /** The advice; also set for a successful step with a warning. */
  readonly advice: string | null;
};

/** The server's description of itself. */
export type ServerInfo = {
  readonly vendor_name: string | null;
  readonly vendor_version: string | null;
  readonly naming_contexts: readonly string[];
};

/** The connection test: the steps in order, up to the first failed step that all later ones require. */
export type Diagnosis = {
  readonly ok: boolean;
  readonly steps: readonly Step[];
  readonly server_info: ServerInfo | null;
};

/** One directory, with its connections. */
export type Directory = {
  /** Finds the entry as the service account, then binds as this entry. */
  readonly authenticate: (login: string, password: string) => Promise<Answer<Person>>;
  /** Finds the person without a password check. */
  readonly lookUp: (login: string) => Promise<Answer<Person>>;
  readonly diagnose: () => Promise<Diagnosis>;
  readonly close: () => Promise<void>;
};
