import { notifications } from '@mantine/notifications';
import { codeOf, wordsOf } from '../api/problem.ts';

const closeButtonProps = { 'aria-label': 'Close' };

/** Says an error of something the person just did. */
export const sayError = (title: string, error: unknown): void => {
  if (error instanceof DOMException && error.name === 'AbortError') return;
  const code = codeOf(error);
  notifications.show({
    color: 'red',
    closeButtonProps,
    title,
    message: code === null ? wordsOf(error) : `${wordsOf(error)} (${code})`,
    autoClose: 10_000,
  });
};
export const say = (message: string): void => {
  notifications.show({ color: 'petrol', closeButtonProps, message });
};
