import { t } from '@lingui/core/macro';
import { ActionIcon, Menu, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { urlOf } from '@overtone/client';
import { call, fetchText } from '../api/client.ts';
import { saveTextFile } from '../lib/save-file.ts';
import { ShareDialog } from '../sharing/share-dialog.tsx';
import { sharedConversation } from '../sharing/shared.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icons.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import type { Conversation } from './ask-queries.ts';

const files = {
  markdown: { extension: 'md', type: 'text/markdown' },
  json: { extension: 'json', type: 'application/json' },
} as const;
type Format = keyof typeof files;

/** Export for every reader; share and delete for the owner. */
export function ConversationActions({ conversation }: { conversation: Conversation }) {
  const [dialog, setDialog] = useState<'share' | 'delete' | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const { uuid, title, is_owner: isOwner } = conversation;
  const save = useMutation({
    mutationFn: async (format: Format) => {
      const query = { export_format: format };
      const text = await fetchText(urlOf('GET /api/ask/conversations/{uuid}/export', { params: { uuid }, query }));
      const { extension, type } = files[format];
      saveTextFile(text, `${title || t`Conversation`}.${extension}`, type);
    },
    onError: (error) => notifyError(t`The conversation wasn’t exported`, error),
  });
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon aria-label={t`Actions for the conversation`}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="download" size={17} />} onClick={() => save.mutate('markdown')}>
            {t`Export as Markdown`}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="download" size={17} />} onClick={() => save.mutate('json')}>
            {t`Export as JSON`}
          </Menu.Item>
          {isOwner && (
            <>
              <Menu.Item leftSection={<Icon name="users" size={17} />} onClick={() => setDialog('share')}>
                {t`Share`}
              </Menu.Item>
              <Menu.Item color="red" leftSection={<Icon name="trash" size={17} />} onClick={() => setDialog('delete')}>
                {t`Delete`}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog === 'share' && <ShareDialog shared={sharedConversation(uuid)} onClose={() => setDialog(null)} />}
      {dialog === 'delete' && (
        <Confirm
          title={t`Delete the conversation?`}
          action={t`Delete`}
          run={() => call('DELETE /api/ask/conversations/{uuid}', { params: { uuid } })}
          onDone={() => {
            client.removeQueries({ queryKey: ['conversation', uuid] });
            void client.invalidateQueries({ queryKey: ['conversations'] });
            notify(t`Conversation deleted.`);
            void navigate({ to: '/ask' });
          }}
          onClose={() => setDialog(null)}
        >
          <Text size="sm">{t`Its questions and answers are deleted for everyone it is shared with.`}</Text>
        </Confirm>
      )}
    </>
  );
}
