import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { replayRoleOf, scratchOf } from './databases.ts';

/**
 * Creates a role that may do nothing but own what is in the scratch database: a dump is SQL of its author, and a
 * superuser, or the owner with CREATEROLE, could be made to run programs or to read files of the server.
 * @param client of the owner, connected to the scratch database. @returns the URL of the scratch database for the role.
 */
export async function createReplayRole(client: Client, database: string, scratchUrl: string): Promise<string> {
  const role = client.escapeIdentifier(replayRoleOf(database));
  const password = randomBytes(24).toString('base64url');
  await client.query(
    `create role ${role} login nosuperuser nocreatedb nocreaterole noinherit noreplication nobypassrls
     password ${client.escapeLiteral(password)}`,
  );
  const { rows } = await client.query<{ superuser: boolean }>(
    'select rolsuper as superuser from pg_roles where rolname = current_user',
  );
  // An owner who is no superuser hands objects over only between roles of which it is a member.
  if (rows[0]?.superuser !== true) await client.query(`grant ${role} to current_user`);
  // The owner keeps the database: its settings, such as libraries to load, are not the dump's to change.
  await client.query(`grant connect, create on database ${client.escapeIdentifier(scratchOf(database))} to ${role}`);
  await client.query(`alter schema public owner to ${role}`);
  const url = new URL(scratchUrl);
  url.username = encodeURIComponent(replayRoleOf(database));
  url.password = encodeURIComponent(password);
  return url.href;
}

/** Gives everything in the scratch database to its owner, and drops the role. */
export async function retireReplayRole(client: Client, database: string): Promise<void> {
  const role = client.escapeIdentifier(replayRoleOf(database));
  await client.query('begin');
  await client.query(`reassign owned by ${role} to current_user`);
  await client.query('alter schema public owner to pg_database_owner');
  await client.query(`drop owned by ${role}`);
  await client.query(`drop role ${role}`);
  await client.query('commit');
}
