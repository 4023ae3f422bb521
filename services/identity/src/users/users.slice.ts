import type { Slice } from '@overtone/service-kit';
import { createCertificateLinks } from './certificate.service.ts';
import { createPrivileges } from './privileges.service.ts';
import { accountRoutes, certificateRoutes, privilegeRoutes } from './users.routes.ts';
import { createUsers } from './users.service.ts';

type Deps = Parameters<typeof createUsers>[0] & Parameters<typeof createPrivileges>[0];

/** The accounts of others, as administrators manage them. */
export function createUsersSlice(deps: Deps): Slice {
  const users = createUsers(deps);
  return {
    routes: [
      ...accountRoutes(users),
      ...privilegeRoutes(createPrivileges(deps)),
      ...certificateRoutes(createCertificateLinks(deps), users),
    ],
  };
}
