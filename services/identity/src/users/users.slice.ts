import type { Outbox } from '@overtone/database';
import type { Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Lockout } from '../lockout/lockout.ts';
import type { NewPasswords } from '../passwords/passwords.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Telemetry } from '../telemetry.ts';
import { createCertificateLinks } from './certificate.service.ts';
import { createPrivileges } from './privileges.service.ts';
import { usersRoutes } from './users.routes.ts';
import { createUsers } from './users.service.ts';

type Deps = {
  db: Db;
  outbox: Outbox;
  telemetry: Telemetry;
  lockout: Lockout;
  newPasswords: NewPasswords;
  sessions: Sessions;
};

/** The accounts of others, as administrators manage them. */
export function createUsersSlice(deps: Deps): Slice {
  const certificates = createCertificateLinks(deps);
  return { routes: usersRoutes({ users: createUsers(deps), privileges: createPrivileges(deps), certificates }) };
}
