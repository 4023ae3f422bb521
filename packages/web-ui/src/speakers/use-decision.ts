import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { notifyWithUndo } from '../ui/action-toast.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import type { VoiceSuggestion } from './voice-queries.ts';

type Decided = Pick<VoiceSuggestion, 'voice' | 'profile'>;
type Decision = { suggestion: Decided; action: 'accept' | 'reject' | 'accept_rejected' };
type Options = {
  /** What undoes a rejection: the profile is suggested again, or the voice, which had its name, gets it again. */
  readonly undoReject: 'undo_reject' | 'accept_rejected';
};

/** Decides whether a voice is the person of a profile, and offers to undo a rejection. */
export function useDecision({ undoReject }: Options = { undoReject: 'undo_reject' }) {
  const client = useQueryClient();
  const refresh = ({ voice }: Decided) => {
    void client.invalidateQueries({ queryKey: ['file', voice.file_uuid] });
    return client.invalidateQueries({ queryKey: ['voices'] });
  };
  const takeBack = async (suggestion: Decided): Promise<void> => {
    try {
      await send(suggestion, undoReject);
    } finally {
      void refresh(suggestion);
    }
  };
  return useMutation({
    mutationFn: ({ suggestion, action }: Decision) => send(suggestion, action),
    onSuccess: (_, { suggestion, action }) => {
      const { name } = suggestion.profile;
      if (action === 'reject') notifyWithUndo(t`${name} won’t be suggested here again.`, () => takeBack(suggestion));
      else notify(t`Named ${name}.`);
    },
    onError: (error) => notifyError(t`The decision wasn’t saved`, error),
    onSettled: (_data, _error, { suggestion }) => refresh(suggestion),
  });
}

function send({ voice, profile }: Decided, action: Decision['action'] | Options['undoReject']): Promise<void> {
  return call('POST /api/speakers/{uuid}/verify', {
    params: { uuid: voice.speaker_uuid },
    body: { action, profile_uuid: profile.uuid },
  });
}
