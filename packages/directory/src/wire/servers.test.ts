import { describe, expect, it } from '@jest/globals';
import { parseServers, serverText } from './servers.ts';

function read(server: string, { useSsl = false, useTls = false, port = 636 } = {}): string[] {
  return parseServers({ server, port, useSsl, useTls }).map((one) => `${serverText(one)} ${one.security}`);
}

describe('the servers of a directory', () => {
  it.each([
    ['ldap.example.org', {}, ['ldap://ldap.example.org:636 plain']],
    ['ldap.example.org', { useSsl: true }, ['ldaps://ldap.example.org:636 ldaps']],
    ['ldap.example.org', { useTls: true, port: 389 }, ['ldap://ldap.example.org:389 start_tls']],
    ['ldap.example.org:1389', { port: 389 }, ['ldap://ldap.example.org:1389 plain']],
    ['ldap://a', { useSsl: true, port: 389 }, ['ldap://a:389 plain']],
    ['ldaps://a', { port: 636 }, ['ldaps://a:636 ldaps']],
    ['LDAPS://A:1636/', {}, ['ldaps://a:1636 ldaps']],
    ['ldap://a', { useTls: true, port: 389 }, ['ldap://a:389 start_tls']],
    ['ldap://a', { useTls: true, useSsl: true, port: 389 }, ['ldap://a:389 start_tls']],
    ['a b\tldaps://c', { port: 389 }, ['ldap://a:389 plain', 'ldap://b:389 plain', 'ldaps://c:389 ldaps']],
    ['127.0.0.1', {}, ['ldap://127.0.0.1:636 plain']],
    ['ldaps://[::1]:7', {}, ['ldaps://[::1]:7 ldaps']],
  ])('%s %j: %j', (server, more, expected) => {
    expect(read(server, more)).toEqual(expected);
  });

  it.each([
    ['', {}],
    ['  ', {}],
    ['http://a', {}],
    ['ldap://a/dc=x', {}],
    ['ldap://user:secret@a', {}],
    ['ldap://a?x', {}],
    ['ldap://a#x', {}],
    ['ldap://', {}],
    ['a:0', {}],
    ['a:65536', {}],
    ['a', { port: 0 }],
    ['[::g]', {}],
    ['-a', {}],
    ['a;b', {}],
    ['a', { useSsl: true, useTls: true }],
    ['ldaps://a', { useTls: true }],
  ])('%j %j cannot be read', (server, more) => {
    expect(() => read(server, more)).toThrow();
  });
});
