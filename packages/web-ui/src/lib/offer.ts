/** Saves a text as a file, as if it had been downloaded. */
export const offer = (text: string, name: string, type: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  // A slash in a title would make the browser think of a folder.
  link.download = name.replace(/[/\\:]/g, '-');
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
