import { describe, expect, it } from '@jest/globals';
import { requestHeaders, responseHeaders } from './headers.ts';

function kept(...headers: string[]) {
  return requestHeaders(headers);
}

describe('headers to a service', () => {
  it.each([
    'X-Overtone-Assertion',
    'x-overtone-user',
    'X-OVERTONE-ROLE',
    'X_Overtone_Assertion',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'X-Forwarded-Host',
    'X-Forwarded-User',
    'X_Forwarded_User',
    'Forwarded',
    'X-Real-IP',
    'X-Client-Cert',
    'X-Client-Cert-DN',
    'SSL-Client-Verify',
    'X-SSL-Client-S-DN',
    'Remote-User',
    'REMOTE_USER',
    'X-Remote-Groups',
    'X-Auth-Request-Email',
    'Authorization',
    'Cookie',
    'Host',
    'Connection',
    'Transfer-Encoding',
    'Upgrade',
    'Expect',
    'TE',
    'Proxy-Authorization',
    'X-Request-ID',
    'traceparent',
  ])('never carry %s from outside', (name) => {
    expect(kept(name, 'value', 'Accept', '*/*')).toEqual(['accept', '*/*']);
  });

  it('drop what the Connection header binds to the connection', () => {
    expect(kept('Connection', 'X-Private, keep-alive', 'X-Private', '1', 'Range', 'bytes=0-')).toEqual([
      'range',
      'bytes=0-',
    ]);
  });

  it('keep everything else as it came, repeated names too', () => {
    const headers = ['tus-resumable', '1.0.0', 'accept', 'a', 'accept', 'b', 'content-length', '3'];
    expect(requestHeaders(headers)).toEqual(headers);
  });
});

describe('headers to the client', () => {
  it('carry cookies only from identity', () => {
    const from = { 'set-cookie': ['a=1', 'b=2'], 'content-type': 'text/plain' };
    expect(responseHeaders(from, true)).toEqual([
      'set-cookie',
      'a=1',
      'set-cookie',
      'b=2',
      'content-type',
      'text/plain',
    ]);
    expect(responseHeaders(from, false)).toEqual(['content-type', 'text/plain']);
  });

  it('leave out what belongs to the inner connection', () => {
    expect(responseHeaders({ connection: 'close', 'keep-alive': 'timeout=5', 'x-overtone-x': '1' }, true)).toEqual([]);
  });
});
