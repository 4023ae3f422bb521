import { t } from '@lingui/core/macro';
import { Button, Group, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CollectionSelect } from '../collections/collection-select.tsx';
import { ago } from '../lib/format.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { Pager } from '../ui/pager.tsx';
import { Pane } from '../ui/pane.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import {
  conversationQuery,
  conversationsPageSize,
  conversationsQuery,
  type AskScope,
  type ConversationItem,
} from './ask-queries.ts';
import css from './ask.module.css';
import { ConversationActions } from './conversation-actions.tsx';
import { ConversationView } from './conversation-view.tsx';
import { scopeText } from './labels.ts';
import { useAsking, type Asking } from './use-asking.ts';

/** Questions about recordings: the conversations, and the one that is shown. */
export function AskPage() {
  const { conversation: uuid = null, collection } = useSearch({ from: '/inside/ask' });
  const navigate = useNavigate({ from: '/ask' });
  const scope =
    collection === undefined
      ? ({ scope: 'library' } as const)
      : ({ scope: 'collection', scope_uuid: collection } as const);
  // Above both views: the first question changes which of them is shown.
  const asking = useAsking(uuid, scope, (begun) => void navigate({ search: { conversation: begun } }));
  return (
    <Pane
      title={t`Ask`}
      actions={
        uuid !== null && (
          <Button component={Link} to="/ask" leftSection={<Icon name="plus" size={17} />}>
            {t`New conversation`}
          </Button>
        )
      }
    >
      <div className={css['layout']}>
        <section className={`ot-card ${css['conversation']}`} style={{ order: 2 }} aria-label={t`Conversation`}>
          {uuid === null ? (
            <NewConversation scope={scope} asking={asking} />
          ) : (
            <OpenConversation key={uuid} uuid={uuid} scope={scope} asking={asking} />
          )}
        </section>
        <nav aria-label={t`Conversations`}>
          <ConversationList shown={uuid} />
        </nav>
      </div>
    </Pane>
  );
}

type ViewProps = { readonly scope: AskScope; readonly asking: Asking };

function NewConversation({ scope, asking }: ViewProps) {
  const { collection } = useSearch({ from: '/inside/ask' });
  const navigate = useNavigate({ from: '/ask' });
  // On a narrow screen the keyboard would hide the list of conversations.
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
  return (
    <>
      <Group mb="md" align="flex-end">
        <CollectionSelect
          label={t`Only in a collection`}
          value={collection ?? null}
          onChange={(next) => void navigate({ search: next === null ? {} : { collection: next }, replace: true })}
        />
      </Group>
      <ConversationView
        uuid={null}
        scope={scope}
        asking={asking}
        autoFocus={isWide}
        invitation={t`Ask what your recordings say. Each answer names its sources, and says so when there are none.`}
      />
    </>
  );
}

function OpenConversation({ uuid, scope, asking }: ViewProps & { readonly uuid: string }) {
  const conversation = useQuery(conversationQuery(uuid));
  if (conversation.isError && !conversation.data)
    return (
      <ErrorNote
        error={conversation.error}
        title={t`The conversation couldn’t be loaded`}
        onRetry={() => void conversation.refetch()}
      />
    );
  return (
    <>
      {conversation.data && (
        <Group justify="space-between" align="flex-start" wrap="nowrap" mb="md">
          <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
            <h2 className={css['title']}>{titleOf(conversation.data)}</h2>
            <Text size="sm" c="dimmed">
              {[scopeText(conversation.data), ownerText(conversation.data)].filter((text) => text !== null).join(' · ')}
            </Text>
          </div>
          <ConversationActions conversation={conversation.data} />
        </Group>
      )}
      <ConversationView uuid={uuid} scope={scope} asking={asking} invitation="" />
    </>
  );
}

function ConversationList({ shown }: { shown: string | null }) {
  const { page = 1 } = useSearch({ from: '/inside/ask' });
  const navigate = useNavigate({ from: '/ask' });
  const conversations = useQuery(conversationsQuery(page));
  return (
    <>
      <QueryStatus of={conversations} failure={t`The conversations couldn’t be loaded`} />
      {conversations.data?.total === 0 && <Empty>{t`No conversations yet.`}</Empty>}
      {conversations.data && conversations.data.total > 0 && (
        <ul className={css['list']} data-testid="conversations">
          {conversations.data.items.map((item) => (
            <li key={item.uuid}>
              <Link
                to="/ask"
                search={{ conversation: item.uuid, ...(page > 1 ? { page } : {}) }}
                className={css['item']}
                aria-current={item.uuid === shown ? 'true' : undefined}
              >
                <div dir="auto">{titleOf(item)}</div>
                <Text size="xs" c="dimmed">
                  {[scopeText(item), ownerText(item), ago(item.updated_at)].filter((text) => text !== null).join(' · ')}
                </Text>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {conversations.data && (
        <Pager
          page={page}
          total={conversations.data.total}
          size={conversationsPageSize}
          onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
        />
      )}
    </>
  );
}

function titleOf({ title }: ConversationItem): string {
  return title === '' ? t`New conversation` : title;
}

function ownerText({ owner_name: name, is_owner: isOwner }: ConversationItem): string | null {
  return isOwner ? null : t`from ${name ?? t`an unknown person`}`;
}
