import type { WatchSourceInput } from '@overtone/contracts';

/** Settings of a watched folder, fast enough for tests. */
export function watchSourceOf(change: Partial<WatchSourceInput>): WatchSourceInput {
  return {
    name: 'Recorder',
    enabled: true,
    kind: 'folder',
    path: '',
    s3_endpoint_url: '',
    s3_region: '',
    s3_bucket: '',
    s3_prefix: '',
    s3_access_key_id: '',
    owner_rule: 'fixed',
    owner: '',
    folders_as: 'tags',
    include: [],
    exclude: [],
    min_bytes: 0,
    max_bytes: null,
    max_age_days: null,
    stable_seconds: 1,
    poll_seconds: 2,
    polling_only: false,
    after: 'keep',
    move_to: '',
    ...change,
  };
}
