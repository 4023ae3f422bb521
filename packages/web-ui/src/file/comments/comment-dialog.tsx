import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { clock } from '../../lib/format.ts';
import { useDraft } from '../../state/use-draft.ts';
import { FormDialog, stillMissing } from '../../ui/form-dialog.tsx';
import { useFile } from '../file-context.ts';
import { commentReadersQuery } from './comment-queries.ts';
import { shortened } from '../../lib/characters.ts';
import css from './comments.module.css';
import { MentionField } from './mention-field.tsx';
import { mentionsIn, type Place } from './notes.ts';

const maxQuote = 300;

/** A new comment on the selected words, or on a moment. */
export function CommentDialog({ place, onClose }: { place: Place; onClose: () => void }) {
  const { file } = useFile();
  const client = useQueryClient();
  const { data: people = [] } = useQuery(commentReadersQuery(file.uuid));
  const draft = useDraft(`comment:${file.uuid}`, '');
  const add = useMutation({
    mutationFn: (text: string) =>
      call('POST /api/files/{uuid}/comments', {
        params: { uuid: file.uuid },
        body: { start_time: place.start, end_time: place.end, text, mentions: mentionsIn(text, people) },
      }),
    onSuccess: () => {
      draft.drop();
      onClose();
      void client.invalidateQueries({ queryKey: ['comments', file.uuid] });
    },
  });
  const text = draft.value.trim();
  const submit = (): void => {
    if (text !== '' && !add.isPending) add.mutate(text);
  };
  return (
    <FormDialog
      title={t`Comment at ${clock(place.start)}`}
      action={t`Add comment`}
      unready={stillMissing(text === '' && t`Comment`)}
      sending={add}
      draft={draft}
      onSubmit={submit}
      onClose={onClose}
    >
      {place.quote !== '' && (
        <Text component="blockquote" dir="auto" size="sm" className={css['quote'] ?? ''} data-color="comment">
          {shortened(place.quote, maxQuote)}
        </Text>
      )}
      <MentionField label={t`Comment`} value={draft.value} onChange={draft.set} onSubmit={submit} autoFocus />
    </FormDialog>
  );
}
