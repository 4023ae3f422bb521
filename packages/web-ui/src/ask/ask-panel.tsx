import { t } from '@lingui/core/macro';
import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { QueryStatus } from '../ui/query-status.tsx';
import { conversationsQuery } from './ask-queries.ts';
import { ConversationView } from './conversation-view.tsx';
import { useAsking } from './use-asking.ts';

type Props = { readonly scope: 'file' | 'collection'; readonly uuid: string };

/** Questions about one recording or collection: continues the latest conversation about it, or begins one. */
export function AskPanel({ scope, uuid }: Props) {
  const conversations = useQuery(conversationsQuery(1, { scope, uuid }));
  const [chosen, setChosen] = useState<{ uuid: string | null } | null>(null);
  const latest = conversations.data?.items.find(({ is_owner: isOwner }) => isOwner)?.uuid ?? null;
  const shown = chosen === null ? latest : chosen.uuid;
  const about = { scope, scope_uuid: uuid };
  const asking = useAsking(shown, about, (begun) => setChosen({ uuid: begun }));
  if (!conversations.data)
    return <QueryStatus of={conversations} failure={t`The conversations couldn’t be loaded`} height={80} />;
  return (
    <Stack gap="sm" data-testid="ask-panel">
      {shown !== null && (
        <Group gap="xs">
          <Link to="/ask" search={{ conversation: shown }} className="ot-link">
            {t`Open on the Ask page`}
          </Link>
          <Button size="compact-sm" variant="default" onClick={() => setChosen({ uuid: null })}>
            {t`New conversation`}
          </Button>
        </Group>
      )}
      <ConversationView
        uuid={shown}
        scope={about}
        asking={asking}
        invitation={scope === 'file' ? t`Ask what was said in this recording.` : t`Ask what these recordings say.`}
      />
    </Stack>
  );
}
