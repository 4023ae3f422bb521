/** The page of a recording, as the browser of the caller opens it. */
export function linkToFile({ scheme, host }: { scheme: string; host: string }, fileId: string): string {
  return `${scheme}://${host}/files/${fileId}`;
}
