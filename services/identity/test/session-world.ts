import { addUser, collectEvents, setUpIdentity } from './running-identity.ts';

/** A running identity service with signed-in users, and the stored and published state of their sessions. */
export async function startSessionWorld() {
  const { backends, identity } = await setUpIdentity();
  const rowsOf = async (sessionId: string) => {
    const { rows } = await backends.sql.query<{ spent: boolean; revoked: boolean }>(
      `select spent_at is not null as spent, revoked_at is not null as revoked
       from refresh_token where session_id = $1 order by created_at`,
      [sessionId],
    );
    return rows;
  };
  return {
    backends,
    identity,
    /** The published events of ended sessions. */
    revoked: collectEvents(backends.bus, 'evt.identity.session.revoked.v1'),
    newSession: async (fields: Record<string, unknown> = {}) => {
      const user = await addUser(backends.sql, fields);
      return { user, ...(await identity.session(user.email, user.password)) };
    },
    /** The tokens of a session, oldest first. */
    rowsOf,
    alive: async (sessionId: string) => (await rowsOf(sessionId)).filter((row) => !row.spent && !row.revoked).length,
  };
}
