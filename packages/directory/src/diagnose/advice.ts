import type { DirectoryFailure } from '../wire/failures.ts';
import type { UnknownReason } from '../model.ts';
import type { ServerAddress } from '../wire/servers.ts';

const byReason: Readonly<Record<UnknownReason, string>> = {
  config: 'Correct the setting named above.',
  unreachable: 'Check host, port and firewalls, and that the directory is running.',
  tls_failed: 'Check the certificate of the server and the trusted certificates (ldap_tls_ca).',
  bind_failed: 'Check the DN and the password of the service account, and that it is neither locked nor expired.',
  timeout: 'Check firewalls and the load of the directory, or raise ldap_timeout.',
  busy: 'The directory is overloaded or stopping: try again, or name another server as well.',
  referral: 'Name a server that holds the search base itself; referrals are never followed.',
  limit: "Raise the directory's size and time limits for the service account.",
  protocol: 'Check that host and port belong to an LDAP server and not to a proxy or another service.',
  refused: 'Give the service account the right to read people and groups.',
  groups_unreadable: 'Give the service account the right to read groups.',
};

/** Advice for a failure. */
export function adviceFor(failure: DirectoryFailure, server?: ServerAddress): string {
  if (failure.reason === 'tls_failed') return tlsAdvice(failure, server);
  if (failure.reason === 'protocol' && server?.port === 636 && server.security !== 'ldaps') {
    return 'Port 636 usually speaks LDAPS: turn on ldap_use_ssl or write ldaps://.';
  }
  return byReason[failure.reason];
}

function tlsAdvice({ cause, code }: DirectoryFailure, server: ServerAddress | undefined): string {
  if (code !== undefined) return 'The server offers no StartTLS: give it a certificate, or use LDAPS.';
  switch ((cause as { code?: string } | undefined)?.code ?? '') {
    case 'CERT_HAS_EXPIRED':
      return "Renew the server's certificate.";
    case 'CERT_NOT_YET_VALID':
      return "Check the clocks: the server's certificate is not valid yet.";
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `Name the server as its certificate does, or give it a certificate for ${server?.host ?? 'this name'}.`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return 'Put the certificate of the authority that signed for the server into ldap_tls_ca.';
    default:
      return 'Check that this port speaks TLS 1.2 or newer: LDAPS usually has port 636, StartTLS port 389.';
  }
}
