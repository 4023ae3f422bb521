import { t } from '@lingui/core/macro';
import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Icon } from '../ui/icons.tsx';
import { QueryStatus } from '../ui/query-status.tsx';
import { modelStatusQuery, type ModelStatus } from './model-queries.ts';

/** What is sent where: nothing, until a language model is in use. */
export function SentWhere() {
  const status = useQuery(modelStatusQuery);
  if (!status.data) return <QueryStatus of={status} failure={t`The language model couldn’t be loaded`} height={80} />;
  const isSent = status.data.available;
  return (
    <Alert
      color={isSent ? 'petrol' : 'gray'}
      variant="light"
      icon={<Icon name={isSent ? 'upload' : 'shield'} />}
      title={isSent ? t`Passages of transcripts are sent to ${status.data.host ?? ''}` : t`Nothing is sent anywhere`}
      data-testid="sent-where"
    >
      <Text size="sm">{detailOf(status.data)}</Text>
    </Alert>
  );
}

function detailOf({ available, source, model }: ModelStatus): string {
  if (!available)
    return t`No language model is in use. Summaries and topics are made on this server, without a language model.`;
  const sent = t`For summaries, topics, speaker names and answers, ${model ?? ''} receives the text of transcripts, with personal data masked as in exports, and questions. Recordings are never sent.`;
  return source === 'own' ? `${sent} ${t`You chose this language model.`}` : sent;
}
