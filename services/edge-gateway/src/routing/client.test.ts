import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { createClientView, limitKey } from './client.ts';

function req(remoteAddress: string, headers: Record<string, string> = {}) {
  return { socket: { remoteAddress }, headers: { host: 'edge:8080', ...headers } } as unknown as IncomingMessage;
}

const forwarded = {
  'x-forwarded-for': '203.0.113.9, 198.51.100.7, 10.0.0.2',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'overtone.example.org',
};

describe('who the client is', () => {
  it('is the peer when no proxy is trusted, whatever the headers say', () => {
    expect(createClientView('')(req('::ffff:192.0.2.1', forwarded))).toEqual({
      ip: '192.0.2.1',
      scheme: 'http',
      isProxied: false,
      host: 'edge:8080',
    });
  });

  it('is the peer when the peer is not the trusted proxy', () => {
    expect(createClientView('10.0.0.0/8')(req('192.0.2.1', forwarded)).ip).toBe('192.0.2.1');
  });

  it('is the last address of the chain that is no trusted proxy', () => {
    expect(createClientView('10.0.0.0/8, fd00::/8')(req('::ffff:10.0.0.1', forwarded))).toEqual({
      ip: '198.51.100.7',
      scheme: 'https',
      isProxied: true,
      host: 'overtone.example.org',
    });
  });

  it('is the proxy itself when the chain holds nothing that is an address', () => {
    expect(createClientView('10.0.0.1')(req('10.0.0.1', { 'x-forwarded-for': 'evil, "x"' })).ip).toBe('10.0.0.1');
  });

  it('refuses a list with an entry that is no address', () => {
    expect(() => createClientView('10.0.0.0/8, proxy.example.org')).toThrow('proxy.example.org');
  });

  it('shares one limit within an IPv6 network, and has one of its own per IPv4 address', () => {
    expect(limitKey('2001:db8:1:2:3:4:5:6')).toBe(limitKey('2001:db8:1:2:ffff:4:5:6'));
    expect(limitKey('2001:db8::1')).toBe(limitKey('2001:db8::ffff:2'));
    expect(limitKey('2001:db8::1')).toBe('2001:db8:0:0');
    expect(limitKey('2001:db8:0:1::1')).not.toBe(limitKey('2001:db8:0:2::1'));
    expect(limitKey('::1')).toBe('0:0:0:0');
    expect(limitKey('192.0.2.1')).not.toBe(limitKey('192.0.2.2'));
  });
});
