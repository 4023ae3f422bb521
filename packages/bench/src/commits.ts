import { openAsService } from '@overtone/e2e/service-access';
import type { Instance } from '@overtone/e2e/instance';

/**
 * The minimal writes of a sign-in: a session and an audit record in one durable transaction. This is the lower bound of
 * its duration.
 */
export async function bareCommits(instance: Instance, atOnce: number) {
  const connections = await Promise.all(Array.from({ length: atOnce }, () => openAsService(instance, 'identity')));
  const owner = (await connections[0]?.ask(`select uuid from "user" where role = 'super_admin' limit 1`))?.[0]?.[
    'uuid'
  ];
  return {
    commit: async (turn: number): Promise<void> => {
      await connections[turn % atOnce]?.ask(
        `with session as (
           insert into refresh_token (session_id, user_id, token_hash, expires_at, absolute_expires_at)
           values (gen_random_uuid(), $1, gen_random_uuid()::text, now() + interval '1 minute', now() + interval '1 minute'))
         insert into audit_log (event_type, outcome, user_id) values ('auth.login.success', 'success', $1)`,
        [owner],
      );
    },
    close: async (): Promise<void> => void (await Promise.all(connections.map((connection) => connection.close()))),
  };
}
