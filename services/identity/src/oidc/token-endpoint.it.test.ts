import { describe, it } from '@jest/globals';
import type { TokenAnswer } from '@overtone/testkit/oidc';
import type { StartedFlow } from '../../test/oidc-browser.ts';
import { startScriptedSignIn } from '../../test/scripted-sign-in.ts';

const world = await startScriptedSignIn();

describe('an invalid response of the token endpoint opens no session', () => {
  const json = { 'content-type': 'application/json' };
  const cases: [string, string, (flow: StartedFlow) => TokenAnswer][] = [
    ['a refusal', 'TOKEN_EXCHANGE_FAILED invalid_grant', () => ({ status: 400, body: { error: 'invalid_grant' } })],
    [
      'a refusal of the client',
      'TOKEN_EXCHANGE_FAILED invalid_client',
      () => ({ status: 401, body: { error: 'invalid_client' } }),
    ],
    ['an error that is no word', 'TOKEN_EXCHANGE_FAILED status', () => ({ status: 400, body: { error: 7 } })],
    ['a server error', 'TOKEN_EXCHANGE_FAILED status', () => ({ status: 500, body: 'oops' })],
    [
      'a redirect',
      'TOKEN_EXCHANGE_FAILED status',
      () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }),
    ],
    ['no content', 'TOKEN_EXCHANGE_FAILED status', () => ({ status: 204, body: '' })],
    [
      '201 instead of 200',
      'TOKEN_EXCHANGE_FAILED status',
      (begun) => ({ ...(world.good(begun) as { body: Record<string, unknown> }), status: 201 }),
    ],
    ['an empty body', 'TOKEN_EXCHANGE_FAILED malformed', () => ({ headers: json, body: '' })],
    ['HTML', 'TOKEN_EXCHANGE_FAILED content_type', () => ({ headers: { 'content-type': 'text/html' }, body: '<p>hi' })],
    ['broken JSON', 'TOKEN_EXCHANGE_FAILED malformed', () => ({ headers: json, body: '{"access_token":' })],
    ['a list', 'TOKEN_EXCHANGE_FAILED malformed', () => ({ headers: json, body: '[]' })],
    ['null', 'TOKEN_EXCHANGE_FAILED malformed', () => ({ headers: json, body: 'null' })],
    ['a text', 'TOKEN_EXCHANGE_FAILED malformed', () => ({ headers: json, body: '"token"' })],
    [
      'bytes that are no UTF-8',
      'TOKEN_EXCHANGE_FAILED malformed',
      () => ({ headers: json, body: Buffer.from([0xff, 0xfe, 0x7b]) }),
    ],
    [
      'no access token',
      'TOKEN_EXCHANGE_FAILED access_token',
      (begun) =>
        world.provider.answer(world.provider.sign(world.provider.claims(begun.nonce)), { access_token: undefined }),
    ],
    [
      'an access token that is no text',
      'TOKEN_EXCHANGE_FAILED access_token',
      (begun) => world.provider.answer(world.provider.sign(world.provider.claims(begun.nonce)), { access_token: 7 }),
    ],
    [
      'an empty access token',
      'TOKEN_EXCHANGE_FAILED access_token',
      (begun) => world.provider.answer(world.provider.sign(world.provider.claims(begun.nonce)), { access_token: '' }),
    ],
    ['no ID token', 'TOKEN_EXCHANGE_FAILED id_token', () => world.provider.answer(undefined)],
    ['an ID token that is null', 'TOKEN_EXCHANGE_FAILED id_token', () => world.provider.answer(null)],
    ['an ID token that is an object', 'TOKEN_EXCHANGE_FAILED id_token', () => world.provider.answer({})],
    ['an empty ID token', 'TOKEN_EXCHANGE_FAILED id_token', () => world.provider.answer('')],
    [
      'no token type',
      'TOKEN_EXCHANGE_FAILED token_type',
      (begun) =>
        world.provider.answer(world.provider.sign(world.provider.claims(begun.nonce)), { token_type: undefined }),
    ],
    [
      'an unknown token type',
      'TOKEN_EXCHANGE_FAILED token_type',
      (begun) => world.provider.answer(world.provider.sign(world.provider.claims(begun.nonce)), { token_type: 'mac' }),
    ],
    [
      'a lifetime that is no number',
      'TOKEN_EXCHANGE_FAILED expires_in',
      (begun) => world.provider.answer(world.provider.sign(world.provider.claims(begun.nonce)), { expires_in: 'soon' }),
    ],
    [
      'more than a mebibyte',
      'PROVIDER_UNAVAILABLE too_large',
      () => ({ headers: json, body: `{"x":"${'x'.repeat(1_100_000)}"}` }),
    ],
    ['nothing, for ever', 'PROVIDER_UNAVAILABLE timeout', () => 'hang'],
    ['one byte at a time', 'PROVIDER_UNAVAILABLE timeout', () => 'drip'],
    ['a reset', 'PROVIDER_UNAVAILABLE unreachable', () => 'reset'],
    ['half of it', 'PROVIDER_UNAVAILABLE unreachable', () => 'half'],
  ];
  it.each(cases)('%s: %s', async (_name, why, token) => {
    await world.expectRefusal(await world.signInWith(token), why);
  });
});
