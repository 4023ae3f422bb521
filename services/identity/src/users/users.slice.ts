import type { Slice } from '@overtone/service-kit';
import { createCertificateLinks } from './certificate.service.ts';
import { createPrivileges } from './privileges.service.ts';
import { usersRoutes } from './users.routes.ts';
import { createUsers } from './users.service.ts';

type Deps = Parameters<typeof createUsers>[0] & Parameters<typeof createPrivileges>[0];

/** The accounts of others, as administrators manage them. */
export function createUsersSlice(deps: Deps): Slice {
  const certificates = createCertificateLinks(deps);
  return { routes: usersRoutes({ users: createUsers(deps), privileges: createPrivileges(deps), certificates }) };
}
