import type { AnswerOf, identityRoutes } from '@overtone/contracts';
import { reply, type Reply } from '@overtone/service-kit';
import { sessionCookies, type Issued } from './cookies.ts';

type ReplyOptions = {
  secure: boolean;
  /** Further cookies to set or to clear. */
  cookies?: readonly string[];
};

/** The response of every sign-in: the tokens, also as cookies. */
export function tokenReply(
  issued: Issued,
  { secure, cookies = [] }: ReplyOptions,
): Reply<AnswerOf<typeof identityRoutes.token>> {
  return reply(
    {
      access_token: issued.accessToken,
      token_type: 'bearer',
      refresh_token: issued.refreshToken,
      expires_in: issued.accessSeconds,
    },
    {
      headers: {
        'Set-Cookie': [...sessionCookies(issued, secure), ...cookies],
        'Cache-Control': 'no-store',
      },
    },
  );
}
