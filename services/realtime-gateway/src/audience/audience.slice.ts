import { identityRpc, mediaRpc } from '@overtone/contracts';
import { askAll, catchUp, type Bus, type Slice } from '@overtone/service-kit';
import { createAudience, type Audience } from './audience.ts';

const hour = 3_600_000;
const pageSize = 500;

type AudienceSlice = Slice & {
  audience: Audience;
  /** Loads what changed while no events were received. */
  reload: () => void;
};

/** Which users receive the events of a file: loaded at start, at `reload` and every hour, changed by events of the feed. */
export function createAudienceSlice({ bus }: { bus: Pick<Bus, 'request'> }): AudienceSlice {
  const audience = createAudience();
  const load = async (): Promise<void> => {
    const memberships = askAll(
      async (after) => (await bus.request(identityRpc.memberships, { after, limit: pageSize })).users,
      ({ userId }) => userId,
    );
    for await (const membership of memberships) audience.setMembership(membership);
    const shared = askAll(
      async (after) => (await bus.request(mediaRpc.listShared, { after, limit: pageSize })).files,
      ({ fileId }) => fileId,
    );
    for await (const access of shared) audience.setAccess(access);
  };
  const loading = catchUp('load file audiences', hour, load);
  return { audience, reload: loading.runNow, periodics: [loading] };
}
