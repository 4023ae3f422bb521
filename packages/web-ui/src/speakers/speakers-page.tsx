import { t } from '@lingui/core/macro';
import { Badge, Button, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { urlOf } from '@overtone/client';
import { meQuery } from '../api/queries.ts';
import { speakersSearch } from '../lib/search-params.ts';
import { Pane } from '../ui/pane.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { Clusters } from './clusters.tsx';
import { ExcludedVoices } from './excluded-voices.tsx';
import { ProfilesWithoutMembers } from './profiles-without-members.tsx';
import { Profiles } from './profiles.tsx';
import { SuggestionList } from './suggestion-list.tsx';
import { profilesQuery, voiceSuggestionsQuery } from './voice-queries.ts';

/** Voices over all recordings: suggestions to decide, voices without a name, and known people. */
export function SpeakersPage() {
  const profiles = useQuery(profilesQuery);
  const suggestions = useQuery(voiceSuggestionsQuery());
  return (
    <Pane title={t`Speakers`}>
      <QueryStatus of={profiles} failure={t`The speakers couldn’t be loaded`} />
      {profiles.data?.enabled === false && <SwitchedOff />}
      {profiles.data?.enabled && !suggestions.isPending && (
        <SpeakerTabs openSuggestions={suggestions.data?.suggestions.length ?? 0} />
      )}
    </Pane>
  );
}

function SwitchedOff() {
  const me = useQuery(meQuery).data;
  if (me?.role !== 'super_admin')
    return (
      <Empty>
        {t`Recognising voices across recordings is switched off. Ask your administrator to turn it on.`}{' '}
        {t`Speakers of a recording can be named on its page.`}{' '}
        <Link className="ot-link" to="/">
          {t`To the library`}
        </Link>
      </Empty>
    );
  return (
    <Empty>
      {t`Recognising voices across recordings is switched off.`}{' '}
      <Link className="ot-link" to="/admin/voices">
        {t`Settings of speaker profiles`}
      </Link>
    </Empty>
  );
}

function SpeakerTabs({ openSuggestions }: { openSuggestions: number }) {
  const { tab } = useSearch({ from: '/inside/speakers' });
  const navigate = useNavigate({ from: '/speakers' });
  const [firstTab] = useState(openSuggestions > 0 ? 'suggestions' : 'unnamed');
  const show = (value: string | null): void => void navigate({ search: speakersSearch({ tab: value }), replace: true });
  // A recording that is opened from a tab leads back to the same tab, also when the suggestions are decided by then.
  useEffect(() => {
    if (tab === undefined) show(firstTab);
  });
  return (
    <>
      <Text c="dimmed" size="sm" mb="md" maw={640}>
        {t`A voice that you have named is suggested in other recordings. Nothing is named without your decision, unless a profile allows it.`}
      </Text>
      <Tabs
        value={tab ?? firstTab}
        onChange={show}
        keepMounted={false}
        // On a narrow window the tabs stay in one line.
        styles={{ tab: { paddingInline: 'var(--mantine-spacing-xs)' } }}
      >
        <Tabs.List mb="md">
          <Tabs.Tab
            value="suggestions"
            rightSection={openSuggestions > 0 ? <Badge size="sm">{openSuggestions}</Badge> : null}
          >
            {t`Suggestions`}
          </Tabs.Tab>
          <Tabs.Tab value="unnamed">{t`Unnamed`}</Tabs.Tab>
          <Tabs.Tab value="profiles">{t`Profiles`}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="suggestions">
          <SuggestionList />
        </Tabs.Panel>
        <Tabs.Panel value="unnamed">
          <Clusters />
        </Tabs.Panel>
        <Tabs.Panel value="profiles">
          <Stack gap="md">
            <Profiles />
            <ExcludedVoices />
            <ProfilesWithoutMembers />
          </Stack>
          <Button
            component="a"
            href={urlOf('GET /api/speaker-profiles/export', {})}
            download="voice-data.json"
            variant="default"
            size="compact-sm"
            mt="md"
          >
            {t`Download my voice data`}
          </Button>
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
